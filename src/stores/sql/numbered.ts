const translated = new Map<string, string>();

/** `?1` → `$1`. Statements are literals in the source, so the map is bounded by the program's text. */
export function numbered(statement: string): string {
  const known = translated.get(statement);
  if (known !== undefined) return known;
  const text = statement.replace(/\?(\d+)/g, '$$$1');
  translated.set(statement, text);
  return text;
}
