const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * The projects of the installation and their namespaces, as files of rules have them: every algorithm and
 * every period. No window and no period ends while the test runs, so that verdicts can be compared.
 */
export function rulesOf(nowMs: number) {
  const windowMs = nowMs % (200 * DAY_MS) > 199 * DAY_MS ? 300 * DAY_MS : 200 * DAY_MS;
  const later = new Date(nowMs + 14 * DAY_MS);
  const noon = `${String((new Date(nowMs).getUTCHours() + 12) % 24).padStart(2, '0')}:00`;
  const quotas = {
    hour: { period: 'hour', anchor: { minute: new Date(nowMs + HOUR_MS / 2).getUTCMinutes() } },
    day: { period: 'day', anchor: { time: noon } },
    week: { period: 'week', anchor: { weekday: WEEKDAYS[new Date(nowMs + 3 * DAY_MS).getUTCDay()] } },
    month: {
      period: 'month',
      timeZone: 'Europe/Paris',
      anchor: { day: Math.min(28, later.getUTCDate()), time: '02:30' },
    },
    year: { period: 'year', anchor: { month: ((later.getUTCMonth() + 6) % 12) + 1 } },
    never: { period: 'never' },
  };
  return {
    shop: {
      login: {
        kind: 'ip',
        limits: [{ name: 'many', algorithm: 'sliding_window', limit: 100, windowMs }],
        quotas: [{ ...quotas.month, limit: 20_000 }],
      },
      api: {
        limits: [
          { name: 'bucket', algorithm: 'token_bucket', limit: 500, windowMs, burst: 50 },
          { name: 'spaced', algorithm: 'gcra', limit: 1000, windowMs, burst: 200 },
        ],
        quotas: [{ ...quotas.day, limit: 1000 }],
      },
      exports: {
        limits: [
          { name: 'places', algorithm: 'concurrency', limit: 5, ttlMs: DAY_MS },
          { name: 'all', algorithm: 'fixed_window', limit: 1000, windowMs },
        ],
      },
      jobs: {
        limits: [{ name: 'all', algorithm: 'fixed_window', limit: 100, windowMs }],
        quotas: [{ ...quotas.never, limit: Number.MAX_SAFE_INTEGER }],
      },
    },
    mail: {
      send: {
        onStoreFailure: 'closed',
        limits: [
          { name: 'even', algorithm: 'leaky_bucket', limit: 300, windowMs, burst: 100 },
          { name: 'exact', algorithm: 'sliding_log', limit: 6, windowMs },
          { name: 'trial', algorithm: 'gcra', limit: 3, windowMs, mode: 'shadow' },
        ],
      },
      hook: {
        identifyBy: 'header:X-Customer',
        limits: [{ name: 'all', algorithm: 'fixed_window', limit: 5, windowMs }],
      },
    },
    bank: {
      pay: { quotas: Object.values(quotas).map((quota, index) => ({ ...quota, limit: 9 + index })) },
    },
    quiet: {},
    /** Its counts and blocks change while others are compared. */
    busy: { work: { limits: [{ name: 'all', algorithm: 'fixed_window', limit: 1e9, windowMs }] } },
  };
}

/** Those that are compared. */
export const PROJECTS = ['shop', 'mail', 'bank', 'quiet'] as const;
/** Namespaces of which identifiers are counted and have exceptions. */
export const COUNTED = [
  ['shop', 'login'],
  ['shop', 'api'],
  ['mail', 'send'],
  ['mail', 'hook'],
  ['bank', 'pay'],
] as const;

/** The identifiers of a namespace, by number. */
export function identifierOf(namespace: string, number: number): string {
  if (namespace !== 'login') return `customer-${number}`;
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}
