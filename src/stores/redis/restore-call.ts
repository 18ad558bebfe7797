import type { QuotaCheckpoint } from '../checkpoints/quota-checkpoint.ts';
import type { ScriptCall } from './encode-call.ts';
import { stateKey } from './script-keys.ts';

/** Keys and arguments of a call to lua/restore.lua. */
export function encodeRestore(
  checkpoints: readonly QuotaCheckpoint[],
  { nowMs, deadlineMs }: { readonly nowMs?: number; readonly deadlineMs?: number },
): ScriptCall {
  const keys = [...new Set(checkpoints.map(({ key }) => stateKey(key)))];
  const numbers = new Map(keys.map((key, index) => [key, index + 1]));
  const args = checkpoints.flatMap(({ key, name, identity, startMs, endMs, used }) => [
    String(numbers.get(stateKey(key))),
    name,
    ...[identity, startMs, endMs, used].map(String),
  ]);
  return { keys, args: [String(nowMs ?? ''), String(deadlineMs ?? ''), ...args] };
}
