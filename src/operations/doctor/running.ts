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
  /** Of it, where it runs on this machine and this user may see something. */
  readonly process: ProcessFacts | undefined;
}

const TIMEOUT_MS = 5000;

/** Asks it how it is. Never rejects. */
export async function findRunning(target: Target): Promise<Running> {
  const client = new ApiClient(target, { timeoutMs: TIMEOUT_MS });
  try {
    const status = await client.status();
    const isHere = status.host === hostname();
    return { client, status, fault: undefined, process: isHere ? processFacts(status.pid) : undefined };
  } catch (error) {
    const fault = error instanceof ConnectionError ? error.fault : 'broken';
    return { client, status: undefined, fault, process: undefined };
  }
}
