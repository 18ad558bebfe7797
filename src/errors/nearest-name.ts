/** The known name that looks most like a mistaken one; undefined if none is near. */
export function nearestName(mistaken: string, known: readonly string[]): string | undefined {
  const name = stem(mistaken);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name, stem(candidate));
    const isNear = distance <= Math.max(name.length, stem(candidate).length) / 2;
    if (isNear && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: candidate, distance };
  }
  return best?.name;
}

/** Without the prefix that all names share, so that it doesn't make strangers look alike. */
function stem(name: string): string {
  return name.toUpperCase().replace(/^BRUME_?/, '');
}

/** Levenshtein distance, one row at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
