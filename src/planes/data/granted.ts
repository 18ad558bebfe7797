import { Type } from '@fastify/type-provider-typebox';
import type { Granted } from '../../limiter/limiter.ts';

export interface GrantedJson {
  readonly id: string;
  readonly expiresAt: number;
}

/** A lease or a reservation as the API gives it. */
export const GrantedSchema = Type.Object({
  id: Type.String(),
  /** Epoch milliseconds, like a verdict's `reset`. */
  expiresAt: Type.Integer(),
});

/** Null where the verdict denies, or nobody counts (degraded). */
export const NullableGranted = Type.Unsafe<GrantedJson | null>({
  type: ['object', 'null'],
  properties: { id: { type: 'string' }, expiresAt: { type: 'integer' } },
});

export function grantedJson(granted: Granted): GrantedJson;
export function grantedJson(granted: Granted | null): GrantedJson | null;
export function grantedJson(granted: Granted | null): GrantedJson | null {
  return granted && { id: granted.id, expiresAt: granted.expiresAtMs };
}
