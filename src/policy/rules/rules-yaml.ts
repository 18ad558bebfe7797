/** Lines of YAML 1.2, made so that older readers (YAML 1.1) understand the same. */

/** Plain only what no reader could take for anything but text. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_./-]*( [A-Za-z][A-Za-z0-9_./-]*)*$/;
const HEADER_NAME = /^header:[a-z0-9_-]+$/;
const ADDRESS = /^[0-9]{1,3}(\.[0-9]{1,3}){3}(\/[0-9]{1,2})?$/;
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$/;
const DURATION = /^[0-9]+(ms|s|m|h|d)$/;
/** What means something else than text in YAML 1.1 or 1.2; some readers take `e5` for a number. */
const WORDS = /^(y|n|yes|no|on|off|true|false|null|nan|inf|e[+-]?[0-9_]+)$/i;

/** Namespaces, and their members, over several lines; limits and what is said of identifiers one line each. */
export function yamlLines(value: unknown, indent = ''): string[] {
  if (!isObject(value)) return [`${indent}${flow(value)}`];
  return Object.entries(value).flatMap(([name, member]) => memberLines(name, member, indent));
}

function memberLines(name: string, value: unknown, indent: string): string[] {
  const head = `${indent}${scalar(name)}:`;
  if (Array.isArray(value) && value.length > 0) {
    return [head, ...value.map((entry) => `${indent}  - ${flow(entry)}`)];
  }
  if (isObject(value) && Object.keys(value).length > 0) return [head, ...yamlLines(value, `${indent}  `)];
  return [`${head} ${flow(value)}`];
}

/** On one line. */
export function flow(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(flow).join(', ')}]`;
  if (!isObject(value)) return scalar(value);
  const members = Object.entries(value).map(([name, member]) => `${scalar(name)}: ${flow(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const isPlain = [PLAIN, HEADER_NAME, ADDRESS, TIME, DURATION].some((form) => form.test(value));
  return isPlain && !WORDS.test(value) ? value : quoted(value);
}

/** JSON's strings are YAML's; but what doesn't show, or may be a line end, is written as its code. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
