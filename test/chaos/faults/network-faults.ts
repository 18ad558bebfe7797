import type { Network, Partition } from '../network/network.ts';
import type { Cut, Direction } from '../network/relayed-connection.ts';
import type { Random } from '../random.ts';
import { type Choose, type Fault, pause } from '../rigs/rig.ts';

const CUTS: readonly Cut[] = ['held', 'lost'];
const DIRECTIONS: readonly Direction[] = ['both', 'there', 'back'];
/** How often everything is out of reach for a node, and not only one server. */
const ALL_SHARE = 0.3;

/** Faults of the network between nodes of Brume and servers of Redis, which don't notice any of it. */
export function networkFaults(network: Network, choose: Choose, all: () => readonly number[]): Fault[] {
  /** Between some of the nodes and some of the servers. */
  const divided = async (parts: Omit<Partition, 'direction' | 'cut'> & Partial<Partition>, ms: number) => {
    const { cut = 'lost', direction = 'both', ...ends } = parts;
    network.divide([{ cut, direction, ...ends }]);
    await pause(ms);
    network.mend();
    return `${direction} ways ${cut} for ${ms} ms`;
  };
  return [
    {
      name: 'relay cut',
      isLong: false,
      run: async (random, nodes) => {
        const { port } = await choose(random);
        network.end(port, nodes);
        return String(port);
      },
    },
    {
      name: 'relay stalled',
      isLong: false,
      run: async (random, nodes) => {
        const { port } = await choose(random);
        return divided({ to: [port], from: nodes, cut: 'held' }, random.integer(20, 400));
      },
    },
    {
      name: 'relay half-open',
      isLong: false,
      run: async (random, nodes) => {
        const { port } = await choose(random);
        const direction = random.pick(DIRECTIONS);
        return divided({ to: [port], from: nodes, direction }, random.integer(20, 400));
      },
    },
    {
      name: 'nodes cut off',
      isLong: true,
      run: async (random, nodes) => {
        const { port } = await choose(random);
        const to = random.isLucky(ALL_SHARE) ? all() : [port];
        const from = random.isLucky(0.5) ? nodes : [random.pick(nodes)];
        const [cut, direction] = [random.pick(CUTS), random.pick(DIRECTIONS)];
        const told = await divided({ to, from, cut, direction }, random.integer(500, 2000));
        return `${from.length} from ${to.join(', ')}: ${told}`;
      },
    },
  ];
}

/** A process of Redis, and where it is reached. */
interface Place {
  readonly pid: number;
  readonly ports: readonly number[];
}

export interface IsolationParts {
  readonly of: Place;
  readonly others: readonly Place[];
  readonly nodes: readonly number[];
  /** The nodes of Brume go on reaching it. */
  readonly isReachedByNodes: boolean;
}

/** Cuts a master off from the other servers until `promoted` resolves. What they say arrives later, as with TCP. */
export async function isolated(
  network: Network,
  { of, others, nodes, isReachedByNodes }: IsolationParts,
  random: Random,
  promoted: () => Promise<unknown>,
): Promise<void> {
  const held = { cut: 'held', direction: 'both' } as const;
  const partitions: Partition[] = [
    { to: of.ports, exceptFrom: nodes, ...held },
    { to: others.flatMap(({ ports }) => ports), from: [of.pid], ...held },
  ];
  if (!isReachedByNodes)
    partitions.push({ to: of.ports, from: nodes, cut: random.pick(CUTS), direction: 'both' });
  network.divide(partitions);
  try {
    await promoted();
  } finally {
    network.mend();
  }
}
