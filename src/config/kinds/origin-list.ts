import { type Kind, quoted } from './kind.ts';

const NONE = 'none';

/**
 * Origins as browsers write them (RFC 6454, section 6.2), separated by commas; `none` for an empty list.
 * No wildcards, and not `null`, which every page can send.
 */
export function originList(): Kind<readonly string[]> {
  return {
    expected: 'origins such as https://console.example.com, separated by commas, or none',
    schema: { type: 'string', format: 'brume-origin-list' },
    fault: (text) => (text === NONE ? undefined : entries(text).map(entryFault).find(Boolean)),
    value: (checked) => Object.freeze(checked === NONE ? [] : entries(String(checked))),
  };
}

function entries(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

function entryFault(entry: string): string | undefined {
  if (entry === '') return 'the list has an empty entry';
  if (entry.includes('*')) {
    return `${quoted(entry)} is a wildcard: it would let any web page manage this Brume. List each origin`;
  }
  if (entry === 'null') return '"null" is the origin of pages that have none: anybody can send it';
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return `${quoted(entry)} is not an origin`;
  return url.origin === entry
    ? undefined
    : `${quoted(entry)} is not an origin: browsers write it as ${quoted(url.origin)}`;
}
