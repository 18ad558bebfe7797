/** The text of a match in a namespace of kind `text`. */
export interface ParsedText {
  /** What stands literally before, between and behind the stars; one part if there is none. */
  readonly parts: readonly string[];
  /** Every backslash stands before a star or another backslash. */
  readonly isWellEscaped: boolean;
}

const TOKEN = /\\[\\*]|[\\*]|[^\\*]+/gs;

/** Never throws: a backslash before anything else is taken as one. Stars side by side are one. */
export function parseText(text: string): ParsedText {
  if (!text.includes('*') && !text.includes('\\')) return { parts: [text], isWellEscaped: true };
  const parts = [''];
  let isWellEscaped = true;
  let follows = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '*') {
      if (follows !== '*') parts.push('');
    } else {
      if (token === '\\') isWellEscaped = false;
      parts.push((parts.pop() ?? '') + (token === '\\*' || token === '\\\\' ? token.slice(1) : token));
    }
    follows = token;
  }
  return { parts, isWellEscaped };
}

/** The one spelling of these parts. */
export function writeText(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll(/[\\*]/g, '\\$&')).join('*');
}

export function isPattern(parts: readonly string[]): boolean {
  return parts.length > 1;
}
