/** A rig's nodes may not hold so much more than what they held when they held the least. */
const GROWTH_MAX_BYTES = 10_000_000;
/** Between two collections of garbage, some 270 MB have been seen. */
const RESIDENT_MAX_BYTES = 450_000_000;

/** Bytes. */
export interface NodeMemory {
  readonly resident: number;
  /** With all garbage collected, after each seed of the rig so far. */
  readonly held: readonly number[];
}

/** What a node's memory says against it; undefined: nothing. */
export function memoryFault({ resident, held }: NodeMemory): string | undefined {
  if (resident > RESIDENT_MAX_BYTES) return `${megabytes(resident)} MB resident`;
  const [least, now] = [Math.min(...held), held.at(-1) ?? 0];
  return now > least + GROWTH_MAX_BYTES
    ? `${megabytes(least)} MB were held, then ${megabytes(now)} MB`
    : undefined;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
