/** What a namespace answers while its store gives none. */
export const FAILURE_POLICIES = ['open', 'closed'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];
