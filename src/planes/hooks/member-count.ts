const QUOTE = 34;
/** No character up to it but blanks stands in JSON. */
const SPACE = 32;

/**
 * Whether an object in a JSON text may have a member twice, given what JSON.parse made of it: false is
 * certain. Costs a fraction of parsing: it counts the colons that may follow a name, which are at least as
 * many as names in the text, and the members, which are at most as many.
 */
export function hasRepeatedMember(text: string, value: unknown): boolean {
  return colonsBehindQuotes(text) !== memberCount(value);
}

function colonsBehindQuotes(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= SPACE) before -= 1;
    if (text.charCodeAt(before) === QUOTE) count += 1;
  }
  return count;
}

/** Of all objects in it. Without recursion: JSON may be nested deeper than the stack. */
function memberCount(value: unknown): number {
  let count = 0;
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const isList = Array.isArray(next);
    const inner: readonly unknown[] = isList ? next : Object.values(next);
    if (!isList) count += inner.length;
    for (const one of inner) if (typeof one === 'object') open.push(one);
  }
  return count;
}
