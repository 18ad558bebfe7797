/**
 * What a namespace answers while its store gives none: `open` allows, `closed` denies, and by `local` each
 * node judges by itself, by its share of the limits.
 */
export const FAILURE_POLICIES = ['open', 'closed', 'local'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];
