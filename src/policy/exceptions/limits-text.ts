import type { LimitOverride } from './rule-exception.ts';

/** The limits of an override as they are stored: equal texts for equal limits. */
export function limitsText(limits: readonly LimitOverride[]): string {
  return JSON.stringify(limits.map(({ name, limit, burst, mode }) => ({ name, limit, burst, mode })));
}

/**
 * Reads what limitsText wrote. Never throws: text that another version may have written gives what
 * can be made of it, and overriddenRule judges that by the rule.
 */
export function parseLimitsText(text: string): readonly LimitOverride[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [];
  }
  return Array.isArray(json) ? json.filter(isOverride) : [];
}

function isOverride(value: unknown): value is LimitOverride {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}
