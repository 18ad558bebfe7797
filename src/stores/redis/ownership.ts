import { createHmac, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { assetText } from '../../assets.ts';
import type { Clock } from '../../limiter/clock.ts';
import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';
import { connectRedis, databaseOf } from './connection.ts';

export const OWNER_KEY = '{brume}owner';
const NODES_KEY = '{brume}owner-nodes';
/** For how long a claim holds, by the clock of Redis. */
export const CLAIM_MS = 15_000;
const RENEWAL_INTERVAL_MS = 3000;
/** Longer than a connection may take that is not made. */
export const FIRST_ANSWER_MS = 2000;

export interface OwnershipOptions {
  readonly url: string;
  /** All nodes of an installation have the same. */
  readonly identifierSecret: Uint8Array;
  /** Who claims, in words, for those who are refused. */
  readonly holder: string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
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
  readonly #redis: Redis;
  readonly #script = assetText('lua/owner.lua');
  readonly #installation: string;
  readonly #node = randomUUID();
  #heldUntilMs = -Infinity;
  #rival: string | undefined;
  #isUnanswered = false;
  #cancelRenewal: (() => void) | undefined;
  #isEnded = false;

  constructor(options: OwnershipOptions) {
    this.#options = options;
    this.#installation = installationId(options.identifierSecret);
    this.#redis = connectRedis(options.url);
    // The counters' own connection meets the same faults, and reports them.
    this.#redis.on('error', () => undefined);
  }

  /**
   * Claims, and goes on until `end`. Resolves with the holder of another installation's claim, if
   * Redis says so now; with undefined if the claim is ours, or Redis is away.
   */
  async begin(): Promise<string | undefined> {
    const { promise: firstAnswer, resolve } = Promise.withResolvers<void>();
    this.#redis.on('ready', () => {
      this.#isUnanswered = false;
      // After a restart that lost the key the owner comes first, and this one at its next turn.
      if (this.#rival === undefined) void this.#claim().finally(resolve);
    });
    this.#redis.once('close', resolve);
    if (this.#redis.status === 'ready') void this.#claim().finally(resolve);
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
    return 'Redis has not confirmed that it belongs to this installation';
  }

  /** Takes this node out of the claim; what Redis doesn't hear runs out by itself. Never rejects. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#cancelRenewal?.();
    if (this.#redis.status === 'ready') await this.#release();
    this.#redis.disconnect();
  }

  async #release(): Promise<void> {
    const { promise: isTooLate, resolve } = Promise.withResolvers<void>();
    const stopWaiting = this.#options.timers.after(FIRST_ANSWER_MS, resolve);
    const released = this.#call('release').then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([released, isTooLate]);
    stopWaiting();
  }

  #call(call: 'claim' | 'release', ...more: string[]): Promise<unknown> {
    const names = [call, this.#installation, this.#node, ...more];
    return this.#redis.eval(this.#script, 2, OWNER_KEY, NODES_KEY, ...names);
  }

  #scheduleRenewal(): void {
    const inMs = this.#rival === undefined ? RENEWAL_INTERVAL_MS : CLAIM_MS;
    this.#cancelRenewal = this.#options.timers.after(inMs, () => {
      this.#scheduleRenewal();
      // A connection without a word may be dead; the next one claims anew.
      if (this.#isUnanswered) this.#redis.disconnect(true);
      else if (this.#redis.status === 'ready') void this.#claim();
    });
  }

  /** Never rejects: what isn't answered leaves the claim to run out. */
  async #claim(): Promise<void> {
    const { holder, clock, url } = this.#options;
    if (this.#isEnded) return;
    const sentMs = clock.monotonicMs();
    this.#isUnanswered = true;
    try {
      // ioredis goes on in database 0 where the one that was asked for can't be had.
      await this.#redis.select(databaseOf(url));
      if (this.#isEnded) return;
      const rival = await this.#call('claim', holder, String(CLAIM_MS));
      this.#isUnanswered = false;
      if (rival === '') this.#heldUntilMs = sentMs + CLAIM_MS;
      this.#take(rival === '' ? undefined : String(rival));
    } catch (error) {
      if (this.#redis.status !== 'ready') return;
      this.#isUnanswered = false;
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.warn({ reason }, 'Redis did not take the claim of this installation');
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

/** What names an installation in its claim, and does not show the secret. */
export function installationId(identifierSecret: Uint8Array): string {
  return createHmac('sha256', identifierSecret).update('owner').digest('base64url');
}
