/** Timers as the caches use them; injected, so that tests own them. */
export interface Timers {
  /** Runs `work` once after `ms` and returns what cancels it. Never keeps the process alive. */
  after(ms: number, work: () => void): () => void;
}

export const systemTimers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
