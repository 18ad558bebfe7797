import type { CheckName, Finding } from '../doctor/finding.ts';
import type { UnitStates } from '../installed/unit-states.ts';
import type { Atom, Compared, Comparison, Condition, Selector, Term } from './condition.ts';
import type { Readings, Series } from './series.ts';

/** What is known of a node, at two moments for what grows. */
export interface Facts {
  readonly answers: boolean;
  /** It doesn't answer, and somebody listens on its admin socket. */
  readonly isSilent: boolean;
  readonly units: UnitStates;
  /** Empty where it doesn't answer. */
  readonly before: Readings;
  readonly now: Readings;
  readonly betweenMs: number;
  readonly nowMs: number;
  readonly findings: readonly Finding[];
}

/** Whether it holds; undefined: that can't be told, since a metric is not there or nobody could look. */
export function holds(condition: Condition, facts: Facts): boolean | undefined {
  const answers = condition.map((atom) => isTrue(atom, facts));
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

/** The numbers by which a condition was decided, as they stand in it: `brume_redis_connected` is 0. */
export function values(condition: Condition, facts: Facts): readonly (readonly [string, number | null])[] {
  const terms = condition.flatMap((atom) => {
    const compared = atom.kind === 'each' ? atom.of : atom;
    return compared.kind === 'compared' ? [compared.left, compared.right] : [];
  });
  return terms.flatMap(metricsIn).map((term) => [termText(term), numberOf(term, facts) ?? null]);
}

function isTrue(atom: Atom, facts: Facts): boolean | undefined {
  if (atom.kind === 'answers')
    return atom.wanted === 'silent' ? facts.isSilent : facts.answers === (atom.wanted === 'yes');
  if (atom.kind === 'unit') return facts.units[atom.of] === atom.state;
  if (atom.kind === 'doctor') {
    const state = worst(facts.findings, atom.check);
    return state === undefined || state === 'unseen' ? undefined : state === atom.state;
  }
  if (atom.kind === 'each') return isTrueOfEach(atom.labels, atom.of, facts);
  const [left, right] = [numberOf(atom.left, facts), numberOf(atom.right, facts)];
  return left === undefined || right === undefined ? undefined : compared(left, atom.by, right);
}

function isTrueOfEach(labels: readonly string[], of: Compared, facts: Facts): boolean | undefined {
  const selectors = [of.left, of.right].flatMap(metricsIn).map((term) => term.of);
  if (!selectors.every(({ metric }) => facts.now.has(metric))) return undefined;
  const groups = selectors
    .flatMap((selector) => selected(selector, facts.now))
    .map((series) => Object.fromEntries(labels.map((label) => [label, series.labels[label] ?? ''])));
  const answers = groups.map((group) =>
    isTrue({ ...of, left: within(of.left, group), right: within(of.right, group) }, facts),
  );
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

/** The same of those series alone that have these labels too. */
function within(term: Term, group: Readonly<Record<string, string>>): Term {
  if (term.kind === 'arithmetic')
    return { ...term, left: within(term.left, group), right: within(term.right, group) };
  if (!('of' in term)) return term;
  return { ...term, of: { ...term.of, labels: { ...term.of.labels, ...group } } };
}

function worst(findings: readonly Finding[], check: CheckName): Finding['state'] | undefined {
  const states = findings.filter((finding) => finding.check === check).map(({ state }) => state);
  return (['failure', 'warning', 'unseen', 'ok'] as const).find((state) => states.includes(state));
}

function compared(left: number, by: Comparison, right: number): boolean {
  switch (by) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

function numberOf(term: Term, facts: Facts): number | undefined {
  switch (term.kind) {
    case 'number':
      return term.value;
    case 'time':
      return facts.nowMs / 1000;
    case 'arithmetic': {
      const [left, right] = [numberOf(term.left, facts), numberOf(term.right, facts)];
      if (left === undefined || right === undefined) return undefined;
      if (term.sign === '+') return left + right;
      if (term.sign === '-') return left - right;
      if (term.sign === '*') return left * right;
      // Of nothing every share is none.
      return right === 0 ? undefined : left / right;
    }
    case 'rate':
      return rate(term.of, facts);
    default: {
      const found = selected(term.of, facts.now).map(({ value }) => value);
      if (found.length === 0) return isCounted(term.of, facts.now) ? 0 : undefined;
      if (term.kind === 'min') return Math.min(...found);
      if (term.kind === 'max') return Math.max(...found);
      return found.reduce((sum, value) => sum + value, 0);
    }
  }
}

/** A series that was not there before began at 0; one of a metric that is there at all has not grown. */
function rate(selector: Selector, { before, now, betweenMs }: Facts): number | undefined {
  if (!now.has(selector.metric) || betweenMs <= 0) return undefined;
  const sum = (readings: Readings) =>
    selected(selector, readings).reduce((total, { value }) => total + value, 0);
  // A process that was started anew counts from 0.
  return Math.max(0, sum(now) - sum(before)) / (betweenMs / 1000);
}

/** As counters and the parts of histograms are named; of a gauge that is not there nothing is known. */
const COUNTED = /_(?:total|bucket|sum|count)$/;

/** What is counted at all, and has no series of these labels, has not happened yet. */
function isCounted({ metric }: Selector, readings: Readings): boolean {
  return COUNTED.test(metric) && readings.has(metric);
}

function selected({ metric, labels, patterns }: Selector, readings: Readings): readonly Series[] {
  const wanted = Object.entries(labels);
  const alike = Object.entries(patterns).map(
    ([name, pattern]) => [name, new RegExp(`^(?:${pattern})$`)] as const,
  );
  return (readings.get(metric) ?? []).filter(
    (series) =>
      wanted.every(([name, value]) => series.labels[name] === value) &&
      alike.every(([name, pattern]) => pattern.test(series.labels[name] ?? '')),
  );
}

type MetricTerm = Extract<Term, { of: Selector }>;

function metricsIn(term: Term): MetricTerm[] {
  if (term.kind === 'arithmetic') return [...metricsIn(term.left), ...metricsIn(term.right)];
  return 'of' in term ? [term] : [];
}

function termText({ kind, of: { metric, labels, patterns } }: MetricTerm): string {
  const pairs = [
    ...Object.entries(labels).map(([name, value]) => `${name}="${value}"`),
    ...Object.entries(patterns).map(([name, pattern]) => `${name}=~"${pattern}"`),
  ];
  const selector = pairs.length === 0 ? metric : `${metric}{${pairs.join(',')}}`;
  return kind === 'sum' ? selector : `${kind}(${selector})`;
}
