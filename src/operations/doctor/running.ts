import { hostname } from 'node:os';
import { ApiClient } from '../../client/api-client.ts';
import { ConnectionError, type ConnectionFault } from '../../client/connection-error.ts';
import type { Status } from '../../client/status.ts';
import type { Target } from '../../client/target.ts';
import { type ProcessFacts, processFacts } from './process-facts.ts';

/** The Brume behind the admin socket. */
export interface Running {
  readonly client: ApiClient;
  /** Undefined: none answers. */
  readonly status: Status | undefined;
  /** Why none does. */
  readonly fault: ConnectionFault | undefined;
  /**
   * Of it, where it runs on this machine and this user may see something; also of one that serves and has no
   * admin socket any more, where systemd knows it.
   */
  readonly process: ProcessFacts | undefined;
}

/** Nobody is there to ask. */
export function isNobodyThere({ fault }: Pick<Running, 'fault'>): boolean {
  return fault === 'missing' || fault === 'refused';
}

const TIMEOUT_MS = 5000;

/** Asks it how it is; `findPid` tells which process serves where nobody can be asked. Never rejects. */
export async function findRunning(
  target: Target,
  { findPid }: { readonly findPid: () => number | undefined },
): Promise<Running> {
  const client = new ApiClient(target, { timeoutMs: TIMEOUT_MS });
  try {
    const status = await client.status();
    const isHere = status.host === hostname();
    return { client, status, fault: undefined, process: isHere ? processFacts(status.pid) : undefined };
  } catch (error) {
    const fault = error instanceof ConnectionError ? error.fault : 'broken';
    const pid = isNobodyThere({ fault }) ? findPid() : undefined;
    return { client, status: undefined, fault, process: pid === undefined ? undefined : processFacts(pid) };
  }
}
