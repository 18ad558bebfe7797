import { type Kind, quoted } from './kind.ts';

/** Of RFC 7518 and 8037: those whose verifying key can't sign. */
const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** Signature algorithms of tokens, separated by commas. */
export function algorithmList(): Kind<readonly string[]> {
  return {
    expected: `a list such as RS256,ES256 of ${ASYMMETRIC.join(', ')}`,
    schema: { type: 'string', format: 'brume-algorithm-list' },
    fault: (text) => entries(text).map(entryFault).find(Boolean),
    value: (checked) => Object.freeze(entries(String(checked))),
  };
}

function entries(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

function entryFault(entry: string): string | undefined {
  if (/^none$/i.test(entry)) return `${quoted(entry)} would take tokens that nobody signed`;
  if (/^HS[0-9]*$/i.test(entry)) {
    return `${quoted(entry)} would let whoever knows the public key sign tokens`;
  }
  return ASYMMETRIC.some((known) => known === entry)
    ? undefined
    : `${quoted(entry)} is no algorithm that is taken`;
}
