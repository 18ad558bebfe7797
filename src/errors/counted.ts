/** A count with its noun: `1 block`, `2 blocks`; with `plural` where it isn't the noun and an s. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
