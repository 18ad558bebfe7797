const HOUR_MS = 3_600_000;
const GCRA = { name: 'default', algorithm: 'gcra', limit: 7, windowMs: HOUR_MS };
const limits = [GCRA];

/** The rules by which every front end is tried. Each client address of a test has its own counts. */
export const RULES = {
  api: { kind: 'ip', limits },
  two: {
    kind: 'ip',
    limits: [
      { ...GCRA, name: 'hour' },
      { name: 'day', algorithm: 'sliding_log', limit: 3, windowMs: 24 * HOUR_MS },
    ],
  },
  none: { kind: 'ip', limits: [{ ...GCRA, algorithm: 'fixed_window', limit: 0 }] },
  open: { kind: 'ip', limits },
  closed: { kind: 'ip', limits, onStoreFailure: 'closed' },
  paths: { identifyBy: 'path', limits: [{ ...GCRA, limit: 5 }] },
} as const;

/** One that Brume doesn't know, besides. */
export const LIMITED = [...Object.keys(RULES), 'nosuch'];
