/**
 * Every error that a caller can meet: its code (stable, documented), HTTP status and public text.
 * What an operator needs beyond that goes into the log, never into the answer.
 */
export const CATALOGUE = {
  bad_request: { status: 400, title: 'The request is not valid.' },
  unauthorized: { status: 401, title: 'A valid key or token is required.' },
  forbidden_scope: { status: 403, title: 'This API key lacks the scope for this call.' },
  forbidden_role: { status: 403, title: 'Your role in this organisation does not allow this call.' },
  unknown_route: { status: 404, title: 'There is no such route.' },
  unknown_project: { status: 404, title: 'There is no such project.' },
  unknown_namespace: { status: 404, title: 'There is no such namespace in this project.' },
  unknown_exception: { status: 404, title: 'There is no such block, exemption or override.' },
  unknown_revision: {
    status: 404,
    title: 'This project has no change with this revision, or it is no longer kept.',
  },
  unknown_reservation: { status: 404, title: 'There is no such reservation, or it is long over.' },
  unknown_lease: { status: 404, title: 'There is no such lease, or it has run out.' },
  unknown_key: { status: 404, title: 'There is no such API key in this project.' },
  unknown_organisation: { status: 404, title: 'There is no such organisation.' },
  unknown_user: { status: 404, title: 'There is no such user.' },
  unknown_member: { status: 404, title: 'This user is no member of this organisation.' },
  unknown_identity: { status: 404, title: 'This user has no such identity of a provider.' },
  unknown_session: { status: 404, title: 'There is no such session.' },
  unknown_invitation: {
    status: 404,
    title:
      'This link is not valid, was used or replaced, has run out, or its maker may not make it any more.',
  },
  unknown_token: { status: 404, title: 'There is no such management token in this organisation.' },
  unknown_tier: { status: 404, title: 'There is no such tier.' },
  method_not_allowed: { status: 405, title: 'This route does not take this method.' },
  request_timeout: { status: 408, title: 'The request did not arrive in time.' },
  conflict: { status: 409, title: 'Something with this name exists already.' },
  still_needed: { status: 409, title: 'This has to stay: something else still needs it.' },
  key_ended: { status: 409, title: 'This API key has ended, and nothing can take its place.' },
  revision_conflict: {
    status: 409,
    title: 'The project has changed since the revision that was expected.',
  },
  reservations_full: { status: 409, title: 'This identifier has as many reservations as it may.' },
  request_id_reused: {
    status: 409,
    title: 'This request id was used for another check: of another cost, or for something else.',
  },
  precondition_failed: { status: 412, title: 'This has changed since the version that If-Match names.' },
  payload_too_large: { status: 413, title: 'The body is larger than this route takes.' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json.' },
  throttled_address: { status: 429, title: 'Too many calls without a valid key come from this address.' },
  throttled_actor: { status: 429, title: 'This API key makes more calls than it may.' },
  budget_exhausted: { status: 429, title: 'This project has used up its calls of the day.' },
  throttled_sign_in: { status: 429, title: 'Too many attempts to sign in; try again later.' },
  throttled_export: {
    status: 429,
    title: 'Too many long answers are being read here at once; try again soon.',
  },
  headers_too_large: { status: 431, title: 'The request headers are larger than this server takes.' },
  internal: { status: 500, title: 'Something went wrong inside Brume; its log has the cause.' },
  store_unavailable: { status: 503, title: 'The configuration store does not answer; try again.' },
  provider_unavailable: {
    status: 503,
    title: 'The identity provider could not be asked for its keys; try again.',
  },
  counters_unavailable: { status: 503, title: 'The counters do not answer; try again.' },
  not_ready: { status: 503, title: 'This node is starting, draining or without any configuration.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof CATALOGUE;

interface BrumeErrorOptions {
  readonly field?: string;
  readonly detail?: string;
  readonly retryAfterS?: number;
  readonly isUndone?: boolean;
  readonly cause?: unknown;
}

/** An error out of the catalogue. `detail` and `field` are public; the cause is for the log only. */
export class BrumeError extends Error {
  override readonly name = 'BrumeError';
  readonly code: ErrorCode;
  /** The part of the input at fault: `cost`, `limits[1].burst`, `X-Brume-Cost`. */
  readonly field: string | undefined;
  readonly detail: string | undefined;
  /** Whole seconds after which to try again, where that helps. */
  readonly retryAfterS: number | undefined;
  /** Of a change that failed: it is certain that nothing was changed. */
  readonly isUndone: boolean;

  constructor(code: ErrorCode, options: BrumeErrorOptions = {}) {
    super(
      options.detail ?? CATALOGUE[code].title,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.field = options.field;
    this.detail = options.detail;
    this.retryAfterS = options.retryAfterS;
    this.isUndone = options.isUndone ?? false;
  }

  get status(): number {
    return CATALOGUE[this.code].status;
  }
}
