/** What one row of a table of measurements says. */
export type MeasuredRow = Readonly<Record<string, string>>;

/** In CPU time of the thread, so that other processes of a busy machine have no part in it. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** For how long nothing else could run, at most and on average, is how long the turns of the event loop took. */
export async function measuredTurns(work: () => Promise<unknown>): Promise<MeasuredRow> {
  globalThis.gc?.();
  const turnsMs: number[] = [];
  let isRunning = true;
  let beforeMs = cpuMs();
  const turn = () => {
    const nowMs = cpuMs();
    turnsMs.push(nowMs - beforeMs);
    beforeMs = nowMs;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  const startMs = performance.now();
  await work();
  const tookMs = performance.now() - startMs;
  isRunning = false;
  await new Promise((resolve) => setTimeout(resolve, 5));
  turnsMs.sort((one, other) => other - one);
  const inMs = (ms = 0) => `${ms.toFixed(1)} ms`;
  return {
    took: tookMs < 1000 ? inMs(tookMs) : `${(tookMs / 1000).toFixed(2)} s`,
    'longest stall': inMs(turnsMs[0]),
    'tenth longest': inMs(turnsMs[9]),
    'hundredth longest': inMs(turnsMs[99]),
    memory: `${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`,
  };
}
