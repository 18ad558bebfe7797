import type { LimitState } from '../../limiter/algorithms/models.ts';
import type { LimitSet } from '../../limiter/counters.ts';
import type { Merge, Standing } from '../../limiter/merge.ts';
import { type CallTerms, encodedSet, Numbered, ownKeys, type ScriptCall } from './encode-call.ts';
import { numbersOf } from './entry-commands.ts';
import { stateKey } from './script-keys.ts';

/** Keys and arguments of lua/merge.lua. */
export function encodeMerge(
  merges: readonly Merge[],
  { nowMs, deadlineMs, expectedMs }: CallTerms,
): ScriptCall {
  const states = new Numbered<string>();
  const sets = new Numbered<LimitSet>();
  for (const { key, set } of merges) {
    states.numberOf(stateKey(key));
    sets.numberOf(set);
  }
  const others = new Numbered<string>(states.size);
  const args = [String(nowMs ?? ''), String(deadlineMs ?? ''), String(states.size), String(sets.size)];
  for (const set of sets) args.push(...encodedSet(set, expectedMs));
  args.push(String(merges.length));
  for (const { key, set, counted } of merges) {
    args.push(String(sets.numberOf(set)), String(states.numberOf(stateKey(key))));
    for (const limit of set.limits) {
      for (const own of ownKeys(key, { limits: [limit] })) args.push(String(others.numberOf(own)));
      const state = counted.get(limit.name);
      const isAlike = state?.algorithm === limit.algorithm && state.identity === limit.identity;
      const texts = isAlike ? textsOf(state) : [];
      args.push(String(texts.length), ...texts);
    }
  }
  return { keys: [...states, ...others], args };
}

function textsOf(state: LimitState): string[] {
  if (state.algorithm === 'concurrency') {
    return [...state.leases].flatMap(([holder, expiresMs]) => [holder, String(expiresMs)]);
  }
  if (state.algorithm !== 'sliding_log') return numbersOf(state).map(String);
  const costs = state.costs.slice(state.head);
  return state.times
    .slice(state.head)
    .flatMap((timeMs, index) => [String(timeMs), String(costs[index] ?? 1)]);
}

/** How each stands; undefined if the call ran too late, or by wrong periods, and did nothing. */
export function decodeMerged(reply: unknown, merges: readonly Merge[]): Standing[] | undefined {
  if (!Array.isArray(reply))
    throw new RangeError(`the merge script replied with ${typeof reply}, not an array`);
  const numbers = reply.map(Number);
  const [nowMs = 0, head] = numbers;
  if (head !== 1) return undefined;
  let index = 2;
  const next = () => numbers[index++] ?? 0;
  return merges.map(({ set }) => ({
    nowMs,
    limits: set.limits.map(() => ({ remaining: next(), resetMs: next() })),
  }));
}
