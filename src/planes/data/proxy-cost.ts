import { COST_MAX } from '../../limiter/limit.ts';
import { badHeader, type RawHeaders, soleHeader } from '../hooks/header-lines.ts';

const NAME = 'X-Brume-Cost';
const DECIMAL = /^(0|[1-9][0-9]{0,15})$/;

/** The cost of a forward-auth call: decimal digits and nothing else; 1 when absent. */
export function proxyCost(headers: RawHeaders): number {
  const text = soleHeader(headers, NAME);
  if (text === undefined) return 1;
  const cost = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (!(cost <= COST_MAX)) throw badHeader(NAME, `must be an integer from 0 to ${COST_MAX}`);
  return cost;
}
