import { Type } from '@fastify/type-provider-typebox';
import { type BrumeError, CATALOGUE } from '../../errors/catalogue.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** An error as RFC 9457 has it; `code` is stable and stands in docs/api.md. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly field?: string;
}

/** For the 4xx and 5xx answers of every route. */
const ProblemSchema = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String(),
  detail: Type.Optional(Type.String()),
  field: Type.Optional(Type.String()),
});

/** The answers that any route may give besides its own. */
export const PROBLEM_ANSWERS = { '4xx': ProblemSchema, '5xx': ProblemSchema } as const;

/** The public side of an error; its cause stays inside. */
export function problemOf(error: BrumeError): Problem {
  const { status, title } = CATALOGUE[error.code];
  return {
    type: `urn:brume:problem:${error.code}`,
    title,
    status,
    code: error.code,
    ...(error.detail !== undefined && { detail: error.detail }),
    ...(error.field !== undefined && { field: error.field }),
  };
}
