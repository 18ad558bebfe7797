import type { Target } from './target.ts';

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
export function apiErrorOf(status: number, body: unknown, target?: Target): ApiError {
  const { code, title, detail, field } = isObject(body) ? body : {};
  if (typeof code !== 'string') return unexpectedAnswer(status, target);
  return new ApiError({
    status,
    code,
    title: typeof title === 'string' ? title : code,
    ...(typeof detail === 'string' ? { detail } : {}),
    ...(typeof field === 'string' ? { field } : {}),
  });
}

/** Whoever answered is not Brume, or not the part of it that was meant. */
export function unexpectedAnswer(status: number, target: Target | undefined, reason?: string): ApiError {
  const because = reason === undefined ? '' : `, ${reason}`;
  const said = `The answer (status ${status}${because}) is not one of Brume.`;
  return new ApiError({ status, code: 'unexpected_answer', title: `${said} ${whatToCheck(status, target)}` });
}

function whatToCheck(status: number, target: Target | undefined): string {
  if (target === undefined) return 'Is it Brume that listens there?';
  if ('socketPath' in target) return `Is it Brume that listens on the socket ${target.socketPath}?`;
  const { origin } = new URL(target.url);
  const isRedirect = status >= 300 && status < 400;
  const sent = isRedirect ? 'It sends elsewhere, where no token is sent after it. ' : '';
  return `${sent}Does ${origin} lead to the management plane (BRUME_MANAGEMENT_LISTEN, by default port 8610), and not to the data plane, another server or a page for signing in?`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
