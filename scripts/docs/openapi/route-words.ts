/** What the documents say of a call besides its schemas. */
export interface RouteWords {
  readonly summary: string;
  /** Of the body. */
  readonly example?: unknown;
  /** Answers carry ETag; writes take If-Match. */
  readonly isVersioned?: true;
}

/** By method and path. */
export type WordsOfRoutes = Readonly<Record<string, RouteWords>>;

/** The rule that examples show. */
export const EXAMPLE_RULE = {
  identifyBy: 'address',
  limits: [{ name: 'minute', algorithm: 'gcra', limit: 60, windowMs: 60_000, burst: 10 }],
};

/** Calls that every plane has. */
export const NODE_WORDS: WordsOfRoutes = {
  'GET /health': { summary: 'Whether the process lives' },
  'GET /ready': { summary: 'Whether this node should be sent traffic' },
};
