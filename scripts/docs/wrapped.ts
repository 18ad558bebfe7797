/** Words in lines of at most `length` characters; a longer word has one of its own. */
export function wrapped(words: readonly string[], length: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < length) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
