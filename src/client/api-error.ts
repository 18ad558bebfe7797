/** Brume answered, and the answer is an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A code of Brume's catalogue, such as `unknown_project`; `unexpected_answer` if there was none. */
  readonly code: string;
  readonly detail: string | null;
  /** The part of the input at fault, such as `rule.limits[0].burst`. */
  readonly field: string | null;

  constructor(problem: { status: number; code: string; title: string; detail?: string; field?: string }) {
    super(problem.detail ?? problem.title);
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail ?? null;
    this.field = problem.field ?? null;
  }
}

/** Makes an ApiError of an answer's body, which should be problem+json (RFC 9457) and may be anything. */
export function apiErrorOf(status: number, body: unknown): ApiError {
  const { code, title, detail, field } = isObject(body) ? body : {};
  if (typeof code !== 'string') {
    const unexpected = `The answer (status ${status}) is not one of Brume: is it Brume that listens there?`;
    return new ApiError({ status, code: 'unexpected_answer', title: unexpected });
  }
  return new ApiError({
    status,
    code,
    title: typeof title === 'string' ? title : code,
    ...(typeof detail === 'string' ? { detail } : {}),
    ...(typeof field === 'string' ? { field } : {}),
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
