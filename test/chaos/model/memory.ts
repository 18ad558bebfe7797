/** Beyond its first half a rig's nodes may not hold so much more, at the times at which they hold the least. */
const GROWTH_MAX_BYTES = 50_000_000;
/** Between two collections of garbage, some 270 MB have been seen. */
const MAX_BYTES = 450_000_000;

/**
 * What a node's resident memory says against it, after each seed of its rig; undefined: nothing. V8 collects
 * when it likes, so that the memory of a node that leaks nothing rises for ten seeds and falls by half: only the
 * lows tell whether it grows, and half a rig's seeds have one.
 */
export function memoryFault(bytes: readonly number[], seedsPerRig: number): string | undefined {
  const now = bytes.at(-1) ?? 0;
  if (now > MAX_BYTES) return `${megabytes(now)} MB`;
  if (bytes.length < seedsPerRig) return undefined;
  const half = Math.floor(bytes.length / 2);
  const [before, after] = [Math.min(...bytes.slice(0, half)), Math.min(...bytes.slice(half))];
  return after > before + GROWTH_MAX_BYTES
    ? `never below ${megabytes(before)} MB, then never below ${megabytes(after)} MB`
    : undefined;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
