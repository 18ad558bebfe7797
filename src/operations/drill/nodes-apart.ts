import { lookup } from 'node:dns/promises';
import { OperationError } from '../operation-error.ts';

/**
 * One node by two names would count as two, and half of it would be taken for the whole. Rejects with an
 * OperationError where two of those lead to the same address and port; a name that leads nowhere is left to whoever
 * asks it.
 */
export async function assertApart(nodes: readonly string[]): Promise<void> {
  const seen = new Map<string, string>();
  for (const node of nodes) {
    const { hostname, port } = new URL(node);
    const host = hostname.replace(/^\[|\]$/g, '');
    const found = await lookup(host, { all: true }).catch(() => []);
    for (const place of new Set(
      [host, ...found.map(({ address }) => address)].map((at) => `${at} ${port}`),
    )) {
      const other = seen.get(place);
      if (other !== undefined) {
        const what = other === node ? `${node} is named twice` : `${other} and ${node} are the same node`;
        throw new OperationError(`${what}: name it once with --node.`);
      }
      seen.set(place, node);
    }
  }
}
