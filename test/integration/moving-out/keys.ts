import { deepEqual } from 'node:assert/strict';
import { askAdmin } from '../../support/admin-socket.ts';
import type { BrumeProcess } from '../../support/brume-process.ts';
import { dataCall } from './data-call.ts';

export interface ProjectKeys {
  /** With all scopes. */
  readonly all: string;
  readonly peekOnly: string;
  readonly revoked: string;
}

/** Three keys of a project. */
export async function makeKeys({ settings }: BrumeProcess, project: string): Promise<ProjectKeys> {
  const path = `/v1/projects/${project}/keys`;
  const make = async (name: string, scopes: string[]) => {
    const body = { name, kind: 'service', scopes, expiresAt: '2099-01-01T00:00:00Z' };
    const { id, key } = Object(await askAdmin(settings.BRUME_ADMIN_SOCKET ?? '', 'POST', path, body));
    return { id: String(id), key: String(key) };
  };
  const all = await make('all', ['limit', 'peek', 'lease', 'reset']);
  const peekOnly = await make('peek-only', ['peek']);
  const revoked = await make('revoked', ['peek']);
  await askAdmin(settings.BRUME_ADMIN_SOCKET ?? '', 'DELETE', `${path}/${revoked.id}`);
  return { all: all.key, peekOnly: peekOnly.key, revoked: revoked.key };
}

/** What each key may and may not is what it was. */
export async function assertKeysWork(
  brume: BrumeProcess,
  keys: ReadonlyMap<string, ProjectKeys>,
): Promise<void> {
  for (const [project, { all, peekOnly, revoked }] of keys) {
    // In a project without namespaces it is 404 to those who may ask.
    const asked = { namespace: NAMESPACES[project] ?? 'none', identifier: '10.1.2.3', cost: 0 };
    const found = project in NAMESPACES ? 200 : 404;
    const statuses: number[] = [];
    for (const [key, path] of [
      [all, 'limit'],
      [all, 'peek'],
      [peekOnly, 'limit'],
      [peekOnly, 'peek'],
      [revoked, 'peek'],
    ] as const) {
      statuses.push((await dataCall(brume, key, 'POST', path, asked)).status);
    }
    deepEqual(statuses, [found, found, 403, found, 401], project);
  }
}

const NAMESPACES: Readonly<Record<string, string>> = {
  shop: 'login',
  mail: 'hook',
  bank: 'pay',
  busy: 'work',
};
