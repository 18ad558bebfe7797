import type { ApiClient } from '../../client/api-client.ts';
import type { Verdict } from '../../client/resources.ts';
import { messageOf } from '../../errors/message-of.ts';
import { type Finding, tellerOf } from './finding.ts';
import { type Claims, claims, type ForgedHeader, ownAddress, sendForged } from './forged-request.ts';
import type { Patient } from './patient.ts';

const tell = tellerOf('proxy-trust');

/** More are not asked about: two looks at seven addresses each. */
const NAMESPACES_MAX = 100;

/** A namespace that tells clients apart by their addresses. */
interface Place {
  readonly projectId: string;
  readonly namespace: string;
  /** With its project's. */
  readonly shown: string;
}

/** Whether a client can choose its own address by writing headers: tried, through the proxy. */
export async function examineProxyTrust({ settings, running, through }: Patient): Promise<Finding[]> {
  const { trustedProxies } = settings;
  const said = `BRUME_TRUSTED_PROXIES: ${trustedProxies.length === 0 ? 'none' : trustedProxies.join(', ')} may state client addresses`;
  if (through === undefined)
    return [
      tell.unseen(
        `${said}; whether your proxy lets clients state their own was not tried.`,
        'Name a page behind it that Brume limits: brume doctor --through https://www.example.org/login',
      ),
    ];
  if (running.status === undefined)
    return [
      tell.unseen(
        `${through}: without a running Brume it can't be tried.`,
        'Start Brume, and run this as root.',
      ),
    ];
  try {
    return [await tried(through, running.client, trustedProxies)];
  } catch (error) {
    const reason = messageOf(error);
    return [
      tell.unseen(
        `${through}: it could not be tried: ${reason}.`.replace(/\.\.$/, '.'),
        'Look whether the proxy is there.',
      ),
    ];
  }
}

async function tried(url: URL, client: ApiClient, trusted: readonly string[]): Promise<Finding> {
  const own = await ownAddress(url, trusted);
  if (own === undefined)
    return tell.unseen(
      `${url}: this machine's own addresses are among BRUME_TRUSTED_PROXIES, so that it may say what it likes.`,
      'Name the proxy by an address of this machine that is not on the list, or try with curl from another machine.',
    );
  const places = await placesByAddress(client);
  if (places.length === 0)
    return tell.unseen('No namespace tells clients apart by their address.', 'There is nothing to try.');
  const claimed = claims(own, trusted);
  if (claimed === undefined)
    return tell.unseen(
      `${url}: every address that could be claimed is one of BRUME_TRUSTED_PROXIES, or this machine's.`,
      'Try with curl from another machine.',
    );
  const addresses = [...Object.values(claimed), own];
  const before = await remaining(client, places, addresses);
  const status = await sendForged(url, claimed, own);
  const after = await remaining(client, places, addresses);
  return judged(url, {
    places,
    claimed,
    own,
    status,
    counted: (key) => isCounted(before.get(key), after.get(key)),
  });
}

async function placesByAddress(client: ApiClient): Promise<Place[]> {
  const places: Place[] = [];
  for (const { id, name } of await client.listProjects()) {
    for (const { name: namespace, rule } of await client.listNamespaces(id)) {
      if ((rule.identifyBy ?? 'address') !== 'address') continue;
      places.push({ projectId: id, namespace, shown: `${namespace} of ${name}` });
      if (places.length === NAMESPACES_MAX) return places;
    }
  }
  return places;
}

const keyOf = ({ projectId, namespace }: Place, address: string) => `${projectId} ${namespace} ${address}`;

/** What is left to each address in each place, limit by limit. */
async function remaining(
  client: ApiClient,
  places: readonly Place[],
  addresses: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, readonly number[]>();
  for (const place of places) {
    const { projectId, namespace } = place;
    for (const address of addresses) {
      const verdict = await client.peek(projectId, { namespace, identifier: address });
      found.set(keyOf(place, address), left(verdict));
    }
  }
  return found;
}

function left({ limits, shadow }: Verdict): number[] {
  return [...limits, ...shadow].map((limit) => limit.remaining);
}

function isCounted(before: readonly number[] = [], after: readonly number[] = []): boolean {
  return after.some((count, at) => count < (before[at] ?? 0));
}

interface Tried {
  readonly places: readonly Place[];
  readonly claimed: Claims;
  readonly own: string;
  readonly status: number;
  readonly counted: (key: string) => boolean;
}

function judged(url: URL, { places, claimed, own, status, counted }: Tried): Finding {
  const headers = Object.keys(claimed) as ForgedHeader[];
  for (const place of places) {
    const believed = headers.filter((header) => counted(keyOf(place, claimed[header])));
    if (believed.length > 0)
      return tell.failure(
        `${url}: a client chooses its own address by writing ${believed.join(', ')}; it was counted so in ${place.shown}.`,
        'Have the proxy set X-Forwarded-For to the address of its peer, instead of passing on or adding to what came (nginx: proxy_set_header X-Forwarded-For $remote_addr).',
      );
  }
  const place = places.find((one) => counted(keyOf(one, own)));
  if (place !== undefined)
    return tell.ok(`${url}: forged headers were not believed; ${own} was counted in ${place.shown}.`);
  return tell.unseen(
    `${url} answered with ${status}, and neither the forged addresses nor ${own} were counted anywhere.`,
    'Name a page that the proxy asks Brume about, in a namespace whose limit is not used up; windows of less than some seconds can not be seen.',
  );
}
