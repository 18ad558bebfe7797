import { createHmac, randomUUID } from 'node:crypto';
import { messageOf } from '../../errors/message-of.ts';
import type { Clock } from '../../limiter/clock.ts';
import { CountersError } from '../../limiter/counters.ts';
import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';
import { Claim } from './claim.ts';
import { openScriptCaller } from './open-caller.ts';
import type { RedisAccess } from './redis-address.ts';
import type { ScriptCaller } from './script-caller.ts';

/** For how long a claim holds, by the clock of Redis. */
export const CLAIM_MS = 15_000;
const RENEWAL_INTERVAL_MS = 3000;
/** Longer than a connection may take that is not made. */
export const FIRST_ANSWER_MS = 2000;
const CALL_TIMEOUT_MS = 1000;

export interface OwnershipOptions {
  readonly url: string;
  /** What the URL doesn't say. */
  readonly access?: RedisAccess | undefined;
  /** All nodes of an installation have the same. */
  readonly identifierSecret: Uint8Array;
  /** The id of the node that claims, new at every start; a random one if absent. */
  readonly node?: string;
  /** Who claims, in words, for those who are refused. */
  readonly holder: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: StoreLog;
}

/**
 * The claim of one installation on a Redis: two with configurations of their own would each admit the
 * whole limit. It is a lease: renewed every few seconds, and over if it isn't, or when the last of the
 * installation's nodes has stopped. It has a connection of its own, so that a flood of checks doesn't
 * keep it waiting.
 */
export class Ownership {
  readonly #options: OwnershipOptions;
  readonly #caller: ScriptCaller;
  readonly #place: Claim;
  readonly #installation: string;
  readonly #node: string;
  #heldUntilMs = -Infinity;
  #rival: string | undefined;
  /** What Redis refused the last claim with; undefined: it did not. */
  #refused: string | undefined;
  /** Why the last claim failed, by Redis's refusal or without an answer; undefined: it did not. */
  #unclaimed: string | undefined;
  #cancelRenewal: (() => void) | undefined;
  #isEnded = false;

  constructor(options: OwnershipOptions) {
    this.#options = options;
    this.#node = options.node ?? randomUUID();
    this.#installation = installationId(options.identifierSecret);
    this.#caller = openClaimCaller(options);
    this.#place = new Claim(this.#caller);
  }

  /**
   * Claims, and goes on until `end`. Resolves with the holder of another installation's claim, if
   * Redis says so now; with undefined if the claim is ours, or Redis is away.
   */
  async begin(): Promise<string | undefined> {
    const { promise: firstAnswer, resolve } = Promise.withResolvers<void>();
    void this.#caller.firstTry().then(async (isConnected) => {
      this.#caller.onConnect(() => {
        // After a restart that lost the key the owner comes first, and this one at its next turn.
        if (this.#rival === undefined) void this.#claim();
      });
      if (isConnected) await this.#claim();
      resolve();
    });
    const stopWaiting = this.#options.timers.after(FIRST_ANSWER_MS, resolve);
    await firstAnswer;
    stopWaiting();
    this.#scheduleRenewal();
    return this.#rival;
  }

  /** Why nothing may be counted in this Redis now; undefined if it may. */
  refusal(): string | undefined {
    if (this.#rival !== undefined) return `this Redis belongs to another installation (${this.#rival})`;
    if (this.#options.clock.monotonicMs() < this.#heldUntilMs) return undefined;
    const why = this.#unclaimed === undefined ? '' : `: ${this.#unclaimed}`;
    return `Redis has not confirmed that it belongs to this installation${why}`;
  }

  /** The ids of the nodes that count in this Redis, or did lately. Rejects with a CountersError. */
  nodes(): Promise<ReadonlySet<string>> {
    return this.#place.nodes();
  }

  /** Takes this node out of the claim; what Redis doesn't hear runs out by itself. Never rejects. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#cancelRenewal?.();
    await this.#place.release(this.#installation, this.#node);
    this.#caller.close();
  }

  #scheduleRenewal(): void {
    const inMs = this.#rival === undefined ? RENEWAL_INTERVAL_MS : CLAIM_MS;
    this.#cancelRenewal = this.#options.timers.after(inMs, () => {
      this.#scheduleRenewal();
      void this.#claim();
    });
  }

  /** Never rejects: what isn't answered leaves the claim to run out. */
  async #claim(): Promise<void> {
    const { holder, clock, log } = this.#options;
    if (this.#isEnded) return;
    const sentMs = clock.monotonicMs();
    try {
      const rival = await this.#place.take(this.#installation, this.#node, holder, String(CLAIM_MS));
      if (rival === '') this.#heldUntilMs = sentMs + CLAIM_MS;
      this.#refused = undefined;
      this.#unclaimed = undefined;
      this.#take(rival === '' ? undefined : rival);
    } catch (error) {
      this.#unclaimed = messageOf(error);
      // The counters' own connection meets a Redis that is away, too, and reports it.
      if (!isRefusal(error) || error.message === this.#refused) return;
      this.#refused = error.message;
      log.warn({ reason: error.message }, 'Redis did not take the claim of this installation');
    }
  }

  #take(rival: string | undefined): void {
    const { log } = this.#options;
    if (rival !== undefined && this.#rival === undefined) {
      log.error(
        { owner: rival },
        'another live installation counts in this Redis; this one counts nothing there and is degraded until the other has gone',
      );
    }
    if (rival === undefined && this.#rival !== undefined) log.info({}, 'this Redis is now ours');
    this.#rival = rival;
  }
}

/** A caller with a connection of its own, so that a flood of checks doesn't keep it waiting, and that is quiet. */
export function openClaimCaller({ url, access, clock }: ClaimPlace): ScriptCaller {
  const terms = { log: SILENT, timeoutMs: CALL_TIMEOUT_MS, unansweredCallsMax: 1 };
  return openScriptCaller({ url, access, clock, ...terms });
}

type ClaimPlace = Pick<OwnershipOptions, 'url' | 'access' | 'clock'>;

const SILENT = { info: () => undefined, warn: () => undefined };

/** Redis answered with an error, such as that of missing rights. */
function isRefusal(error: unknown): error is CountersError {
  return error instanceof CountersError && error.cause instanceof Error && error.cause.name === 'ReplyError';
}

/** What names an installation in its claim, and does not show the secret. */
export function installationId(identifierSecret: Uint8Array): string {
  return createHmac('sha256', identifierSecret).update('owner').digest('base64url');
}
