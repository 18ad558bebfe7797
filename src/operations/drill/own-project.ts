import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../client/api-client.ts';
import { ApiError } from '../../client/api-error.ts';
import type { Project } from '../../client/resources.ts';
import { OperationError } from '../operation-error.ts';

/** One name for all drills: projects have theirs to themselves, so that of two that begin at once one is refused. */
const PROJECT = 'brume-drill';
/** What the load is judged by. */
export const NAMESPACE = 'drill';
/** By this a drill's project is known, and whether its drill still runs: then it is asked about every second. */
const HEARTBEAT = 'brume-drill-heartbeat';
/** Both, by which what a drill left is known. */
export const OWN_NAMESPACES: readonly string[] = [HEARTBEAT, NAMESPACE];
const BEAT = { namespace: HEARTBEAT, identifier: 'drill' };
const BEAT_EVERY_MS = 1000;
/** Longer than a beat and the longest call that may hold the next one up. */
const WATCH_MS = 8000;
/** Longer than any drill. */
const WINDOW_MS = 86_400_000;
const BEATS_MAX = 1_000_000;
/** The configuration store may be on its way back. */
const PATIENCE_MS = 10_000;
const AGAIN_EVERY_MS = 500;

export const DELETE_COMMAND = `brume project delete ${PROJECT} --yes`;

/** Rejects with an OperationError where another drill runs, or somebody else's project has the name. */
export async function assertNoOther(client: ApiClient, signal: AbortSignal): Promise<void> {
  await leftoverOf(client, signal);
}

/** The project of a drill: with a namespace, a key for it, and a sign that the drill runs. */
export class OwnProject {
  readonly #client: ApiClient;
  readonly #id: string;
  #beats: Promise<void> | undefined;
  readonly #over = new AbortController();

  private constructor(client: ApiClient, id: string) {
    this.#client = client;
    this.#id = id;
  }

  /** Makes an empty one, in the place of one that a drill left which was killed. Rejects as `assertNoOther`. */
  static async make(client: ApiClient, signal: AbortSignal): Promise<OwnProject> {
    const leftover = await leftoverOf(client, signal);
    // By its id: another drill may have made a new one of that name since.
    if (leftover !== undefined) await client.deleteProject(leftover.id).catch(unlessGone);
    try {
      return new OwnProject(client, (await client.createProject(PROJECT)).id);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        throw new OperationError('Another drill has begun just now.', { cause: error });
      throw error;
    }
  }

  /** Gives a key for its namespace. */
  async fill({ limit, policy }: { readonly limit: number; readonly policy: string }): Promise<string> {
    const rule = (max: number) => ({
      limits: [{ name: 'drill', algorithm: 'fixed_window', limit: max, windowMs: WINDOW_MS }],
    });
    await this.#client.createNamespace(this.#id, HEARTBEAT, rule(BEATS_MAX));
    this.#beats = this.#beat();
    await this.#client.createNamespace(this.#id, NAMESPACE, { onStoreFailure: policy, ...rule(limit) });
    return (await this.#client.createKey(this.#id, { name: 'drill', kind: 'service' })).key;
  }

  /** Removes the counts of those identifiers. */
  async forget(identifiers: Iterable<string>): Promise<void> {
    for (const identifier of identifiers)
      await this.#client.reset(this.#id, { namespace: NAMESPACE, identifier });
  }

  /** Deletes it, with what is in it. */
  async remove(signal: AbortSignal): Promise<void> {
    const untilMs = performance.now() + PATIENCE_MS;
    this.#over.abort();
    await this.#beats;
    for (;;) {
      try {
        return await this.#client.deleteProject(this.#id).catch(unlessGone);
      } catch (error) {
        if (performance.now() >= untilMs) throw error;
        await delay(AGAIN_EVERY_MS, undefined, { signal });
      }
    }
  }

  /** Until it is over. What is not counted, since the fault is of that kind, is counted later. */
  async #beat(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await this.#client.limit(this.#id, BEAT).catch(() => undefined);
      await delay(BEAT_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** What a drill left that was killed, if one did. */
async function leftoverOf(client: ApiClient, signal: AbortSignal): Promise<Project | undefined> {
  const found = (await client.listProjects()).find(({ name }) => name === PROJECT);
  if (found === undefined) return undefined;
  const names = (await client.listNamespaces(found.id)).map(({ name }) => name);
  if (!names.includes(HEARTBEAT) || names.some((name) => !OWN_NAMESPACES.includes(name))) {
    throw new OperationError(
      `There is a project ${PROJECT}, and it isn't a drill's, or one that has just begun: drills need that name. If nobody needs it: ${DELETE_COMMAND}`,
    );
  }
  if (await beats(client, found, signal))
    throw new OperationError('Another drill runs. Two at once would each see the fault of the other.');
  return found;
}

/** Also where nobody can tell. */
async function beats(client: ApiClient, { id }: Project, signal: AbortSignal): Promise<boolean> {
  const before = await client.peek(id, BEAT);
  for (const untilMs = performance.now() + WATCH_MS; performance.now() < untilMs; ) {
    await delay(BEAT_EVERY_MS, undefined, { signal });
    const now = await client.peek(id, BEAT);
    if (now.degraded || before.degraded || now.remaining !== before.remaining) return true;
  }
  return false;
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
