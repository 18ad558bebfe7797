import type { Answer, Caller } from './caller.ts';

/** Beyond its deadline a request may take so long for all that isn't the store: parsing, two event loops, TCP. */
const MARGIN_MS = 200;
/** No node may be busy with itself for so long, and thereby hide that answers are late. */
const BUSY_MAX_MS = 1000;
const PROBE_EVERY_MS = 50;
const LAG_EVERY_MS = 10;
const FORGOTTEN_AFTER_MS = 30_000;

interface Noise {
  readonly fromMs: number;
  readonly toMs: number;
  readonly lateMs: number;
  /** Of this process's own timers, one after the other; else of /health. */
  readonly isOwn: boolean;
}

/**
 * How busy the machine is: how late this process's own timers are, and how long a node takes for /health,
 * which asks no store. What both do at a time is taken off from what a check took then, or what the kernel says
 * that the node and this process had no core, if that is more.
 */
export class Lateness {
  readonly #callers: readonly Caller[];
  readonly #deadlineMs: number;
  readonly #noises: Noise[] = [];
  readonly #slow: Answer[] = [];
  readonly #busy: number[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  maxMs = 0;
  maxBeyondMs = 0;
  /** The longest that this process was held up, and that a node took for /health. */
  maxLagMs = 0;
  maxHealthMs = 0;
  /** The longest for /health, without what the node and this process had no core. */
  maxBusyMs = 0;

  constructor(callers: readonly Caller[], deadlineMs: number) {
    this.#callers = callers;
    this.#deadlineMs = deadlineMs;
  }

  start(): void {
    let expectedMs = Date.now() + LAG_EVERY_MS;
    const lag = setInterval(() => {
      const nowMs = Date.now();
      this.maxLagMs = Math.max(this.maxLagMs, nowMs - expectedMs);
      if (nowMs - expectedMs > LAG_EVERY_MS)
        this.#noises.push({
          fromMs: expectedMs - LAG_EVERY_MS,
          toMs: nowMs,
          lateMs: nowMs - expectedMs,
          isOwn: true,
        });
      expectedMs = nowMs + LAG_EVERY_MS;
    }, LAG_EVERY_MS);
    const probe = setInterval(() => {
      for (const caller of this.#callers) {
        caller.ask({ method: 'GET', path: '/health' }).then(
          ({ sentMs, receivedMs, elapsedMs, starvedMs }) => {
            this.maxHealthMs = Math.max(this.maxHealthMs, elapsedMs);
            const busyMs = Math.round(elapsedMs - starvedMs);
            this.maxBusyMs = Math.max(this.maxBusyMs, busyMs);
            if (busyMs > BUSY_MAX_MS) this.#busy.push(busyMs);
            this.#noises.push({ fromMs: sentMs, toMs: receivedMs, lateMs: elapsedMs, isOwn: false });
          },
          () => undefined,
        );
      }
    }, PROBE_EVERY_MS);
    this.#timers.push(lag, probe);
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** To be judged when all that went on meanwhile is known. */
  note(answer: Answer): void {
    this.maxMs = Math.max(this.maxMs, answer.elapsedMs);
    if (answer.elapsedMs > this.#deadlineMs + MARGIN_MS) this.#slow.push(answer);
  }

  /** Of those that were noted since the last time: which came too late, and by how much. */
  late(): string[] {
    const judged = this.#slow.splice(0).map((answer) => ({ answer, beyondMs: this.#beyondMs(answer) }));
    const cutMs = Date.now() - FORGOTTEN_AFTER_MS;
    while ((this.#noises[0]?.toMs ?? cutMs) < cutMs) this.#noises.shift();
    this.maxBeyondMs = Math.max(this.maxBeyondMs, ...judged.map(({ beyondMs }) => beyondMs));
    const busy = this.#busy
      .splice(0)
      .map((busyMs) => `/health: a node was busy with itself for ${busyMs} ms`);
    const late = judged
      .filter(({ beyondMs }) => beyondMs > 0)
      .map(({ answer, beyondMs }) => {
        const { path, status, elapsedMs, body } = answer;
        const asked = `${path}: ${status} after ${Math.round(elapsedMs)} ms, ${beyondMs} too late`;
        return `${asked}: ${JSON.stringify(body)?.slice(0, 300)}`;
      });
    return [...busy, ...late];
  }

  #beyondMs({ sentMs, receivedMs, elapsedMs, starvedMs }: Answer): number {
    const during = this.#noises.filter(({ fromMs, toMs }) => fromMs <= receivedMs && toMs >= sentMs);
    const own = during.filter(({ isOwn }) => isOwn).reduce((sum, { lateMs }) => sum + lateMs, 0);
    // Those of /health overlap: the longest of them, and not all together.
    const health = Math.max(0, ...during.filter(({ isOwn }) => !isOwn).map(({ lateMs }) => lateMs));
    const noiseMs = Math.max(own + health, starvedMs);
    return Math.max(0, Math.round(elapsedMs - this.#deadlineMs - MARGIN_MS - noiseMs));
  }
}
