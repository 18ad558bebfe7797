import type { Option } from './option.ts';
import { CACHES } from './options/caches.ts';
import { IDENTITY } from './options/identity.ts';
import { LISTENERS } from './options/listeners.ts';
import { LOCAL } from './options/local.ts';
import { LOGS } from './options/logs.ts';
import { MANAGEMENT } from './options/management.ts';
import { METRICS } from './options/metrics.ts';
import { OBJECTIVES } from './options/objectives.ts';
import { PROTECTION } from './options/protection.ts';
import { HEADERS, REQUESTS } from './options/requests.ts';
import { STORES } from './options/stores.ts';
import { TRACING } from './options/tracing.ts';

/** Every setting, by the name of its variable. */
export const OPTIONS = {
  ...LISTENERS,
  ...MANAGEMENT,
  ...STORES,
  ...LOCAL,
  ...CACHES,
  ...REQUESTS,
  ...PROTECTION,
  ...IDENTITY,
  ...HEADERS,
  ...LOGS,
  ...METRICS,
  ...TRACING,
  ...OBJECTIVES,
} as const;

/** The name of a variable that exists. */
export type Variable = keyof typeof OPTIONS;

/** The settings in the order and under the headings in which the documentation shows them. */
export const OPTION_GROUPS: readonly { title: string; options: Readonly<Record<string, Option>> }[] = [
  { title: 'Listeners', options: LISTENERS },
  { title: 'Management plane', options: MANAGEMENT },
  { title: 'Stores', options: { ...STORES, ...LOCAL } },
  { title: 'Caches', options: CACHES },
  { title: 'Requests', options: REQUESTS },
  { title: 'Protection of the data plane', options: PROTECTION },
  { title: 'Sign-in', options: IDENTITY },
  { title: 'Response headers', options: HEADERS },
  { title: 'Logs', options: LOGS },
  { title: 'Metrics', options: METRICS },
  { title: 'Tracing', options: TRACING },
  { title: 'Objectives of drills', options: OBJECTIVES },
];

/** All variables, in the order of the documentation. */
export const VARIABLES = Object.keys(OPTIONS) as Variable[];

/** The declaration of a variable, seen without its particular type. */
export function optionOf(variable: Variable): Option {
  return OPTIONS[variable];
}
