import { cappedSum } from '../integer.ts';
import type { Limit } from '../limit.ts';
import type { AlgorithmModel } from './algorithm.ts';

interface Count {
  readonly startMs: number;
  readonly used: number;
}

/** What fixed windows and quotas have in common: one count, which belongs to what began at startMs. */
export function plainCount<State extends Count, L extends Limit>(): Pick<
  AlgorithmModel<State, L>,
  'admits' | 'consume' | 'charge' | 'add' | 'giveBack' | 'remaining'
> {
  return {
    admits: ({ limit }, { used }, cost) => cost <= limit - used,

    consume: (_limit, state, cost) => ({ ...state, used: state.used + cost }),

    charge: (_limit, state, amount) => ({ ...state, used: cappedSum(state.used, amount) }),

    add: (_limit, state, { used }) => ({ ...state, used: cappedSum(state.used, used) }),

    giveBack: (_limit, state, { amount, madeMs }) =>
      madeMs >= state.startMs ? { ...state, used: Math.max(0, state.used - amount) } : state,

    remaining: ({ limit }, { used }) => Math.max(0, limit - used),
  };
}
