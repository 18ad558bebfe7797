/**
 * What comes within so many milliseconds, or a rejection with `missed`. An answer that lies in a socket while
 * this loop is held up came in time: it is read before the time is called up.
 */
export async function inTime<Result>(work: Promise<Result>, ms: number, missed: Error): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => setImmediate(() => reject(missed)), Math.max(0, ms));
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
