import type { CallCeiling } from './call-ceiling.ts';

/** After the counters failed, or said that nothing is left of the day, they are asked again so much later. */
const PAUSE_MS = 1000;
/** Tokens come back in fractions, whose sums are off by less than this. */
const ROUNDING = 1e-9;

/** `unsure`: the counters have to be heard before more is owed. */
export type CallDecision = 'passed' | 'denied' | 'unsure';

/**
 * What a node has of somebody's calls. Half of a block it holds in advance; when that is gone, calls
 * go on while the next is asked for, as many as the other half, and are owed. So calls don't wait, as
 * long as they fit into it, and what this node lets pass differs from what the counters granted by a
 * block at most. It lets nobody pass of whom it knows that nothing is left: the counters say what
 * remains, and time adds to that.
 *
 * While the counters don't answer, it counts by itself, from its share of what they last said remains.
 * What passes then is owed to them, and charged when they are back: so no outage adds to what the last
 * one let pass. Of a rate, what would have come back meanwhile is owed no more.
 */
export class CallAccount {
  ceiling: CallCeiling;
  /** Calls that wait to hear from the counters. */
  waitingCount = 0;
  /** Calls in advance; below 0: owed. */
  #held = 0;
  /** What remained at `#asOfMs`, without what is held. */
  #known: number;
  #asOfMs: number;
  #askAgainAtMs = 0;
  /** Calls that passed without the counters, as of `#asOfMs`. */
  #alone = 0;
  /** The counters don't answer, and this node is one of so many; 0: they do. */
  #nodes = 0;

  constructor(ceiling: CallCeiling, nowMs: number) {
    this.ceiling = ceiling;
    this.#known = ceiling.capacity;
    this.#asOfMs = nowMs;
  }

  get isLocal(): boolean {
    return this.#nodes > 0;
  }

  /** Another number holds from now on; what was taken and is owed stays. */
  changeCeiling(ceiling: CallCeiling, nowMs: number): void {
    this.#known = Math.max(0, this.#left(nowMs) + ceiling.capacity - this.ceiling.capacity);
    this.#alone = this.#owedAlone(nowMs);
    this.ceiling = ceiling;
    this.#asOfMs = nowMs;
    this.#askAgainAtMs = 0;
  }

  /** Whether one more call may pass; if so, it has. */
  take(nowMs: number): CallDecision {
    if (this.#held > 0) {
      this.#held -= 1;
      return 'passed';
    }
    const left = this.#left(nowMs);
    if (this.isLocal) {
      if (left + ROUNDING < 1) return 'denied';
      this.#known = left - 1;
      this.#alone = this.#owedAlone(nowMs) + 1;
      this.#asOfMs = nowMs;
      return 'passed';
    }
    const owed = 1 - this.#held;
    if (owed > left + ROUNDING) return 'denied';
    if (owed > this.#owedMax) return 'unsure';
    this.#held -= 1;
    return 'passed';
  }

  /** How many calls to ask the counters for now, and one that is unsure with them; 0: none. */
  wanted(nowMs: number, isOneUnsure = false): number {
    if (this.#held > 0 || nowMs < this.#askAgainAtMs) return 0;
    const waiting = this.waitingCount + (isOneUnsure ? 1 : 0);
    const whole = this.#heldMax - this.#held + waiting;
    const left = Math.floor(this.#left(nowMs) + ROUNDING);
    const isOwing = waiting > 0 || -this.#held * 2 >= this.#owedMax;
    const isDue = this.isLocal || isOwing || (left >= whole && whole > 0);
    return isDue ? Math.max(1, Math.min(whole, left)) : 0;
  }

  /** The counters gave so many calls, or none; `remaining`: what they have left. */
  settle({ given, remaining, nowMs }: { given: number; remaining: number; nowMs: number }): void {
    this.#held += given;
    this.#known = remaining;
    this.#asOfMs = nowMs;
    if (given > 0) return;
    const { growthPerMs } = this.ceiling;
    const missing = this.#heldMax - this.#held - remaining;
    this.#askAgainAtMs = nowMs + (growthPerMs === 0 ? PAUSE_MS : Math.max(0, missing / growthPerMs));
  }

  /**
   * The counters did not answer. What is owed stays so: if they counted it and the answer was lost, it
   * is counted twice, for a ceiling holds.
   */
  goOnAlone(nodes: number, nowMs: number): void {
    const owed = Math.max(0, -this.#held);
    const left = Math.max(0, this.#left(nowMs) - owed);
    this.#alone = this.#owedAlone(nowMs) + owed;
    const wasLocal = this.isLocal;
    this.#nodes = Math.max(1, nodes);
    this.#held = Math.max(0, this.#held);
    this.#known = wasLocal ? Math.min(left, this.#capacity) : Math.ceil(left / this.#nodes - ROUNDING);
    this.#asOfMs = nowMs;
    this.#askAgainAtMs = nowMs + PAUSE_MS;
  }

  /** The counters answer again, and have so many left; they know nothing of what passed meanwhile. */
  comeBack(remaining: number, nowMs: number): void {
    this.#held -= Math.ceil(this.#owedAlone(nowMs) - ROUNDING);
    this.#alone = 0;
    this.#nodes = 0;
    this.#known = remaining;
    this.#asOfMs = nowMs;
    this.#askAgainAtMs = nowMs;
  }

  /** Milliseconds until a call would pass if nobody else came; Infinity: not before the end of the day. */
  waitMs(nowMs: number): number {
    const { growthPerMs } = this.ceiling;
    if (growthPerMs === 0) return Number.POSITIVE_INFINITY;
    const needed = this.isLocal ? 1 : 1 - this.#held;
    return Math.max(0, (needed - this.#left(nowMs)) / (growthPerMs / this.#share));
  }

  get #heldMax(): number {
    return Math.floor(this.ceiling.block / 2);
  }

  get #owedMax(): number {
    return Math.ceil(this.ceiling.block / 2);
  }

  get #share(): number {
    return Math.max(1, this.#nodes);
  }

  get #capacity(): number {
    return Math.max(1, Math.ceil(this.ceiling.capacity / this.#share));
  }

  #owedAlone(nowMs: number): number {
    const grown = (nowMs - this.#asOfMs) * (this.ceiling.growthPerMs / this.#share);
    return Math.max(0, this.#alone - grown);
  }

  /** What the counters have, as far as this node can know; alone: what it has. */
  #left(nowMs: number): number {
    const grown = (nowMs - this.#asOfMs) * (this.ceiling.growthPerMs / this.#share);
    return Math.min(this.#capacity, this.#known + grown);
  }
}
