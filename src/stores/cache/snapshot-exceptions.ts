import type { CheckedNamespace } from '../../limiter/check.ts';
import type { Exception, Exceptions } from '../../limiter/exceptions.ts';
import type { Rule } from '../../policy/namespace.ts';
import type { FoundException } from './exception-rows.ts';
import { OverriddenRules } from './overridden-rules.ts';
import type { SnapshotCache } from './snapshot-cache.ts';
import type { Timers } from './timers.ts';

/** Blocks, exemptions and overrides as the snapshot has them. */
export class SnapshotExceptions implements Exceptions {
  readonly #snapshot: Pick<SnapshotCache, 'state' | 'refresh' | 'exception'>;
  readonly #timers: Timers;
  readonly #refreshTimeoutMs: number;
  readonly #overridden = new OverriddenRules();

  constructor(
    snapshot: Pick<SnapshotCache, 'state' | 'refresh' | 'exception'>,
    timers: Timers,
    /** How long a check waits for a refresh. */
    { refreshTimeoutMs }: { readonly refreshTimeoutMs: number },
  ) {
    this.#snapshot = snapshot;
    this.#timers = timers;
    this.#refreshTimeoutMs = refreshTimeoutMs;
  }

  revision(): number {
    return this.#snapshot.state().revision;
  }

  find({ id, rule }: CheckedNamespace, subject: string, nowMs: number): Exception | undefined {
    if (!isWhole(rule)) throw new TypeError('the namespace is not one of the snapshot');
    const found = this.#snapshot.exception(id, rule.kind, subject, nowMs);
    return found === undefined ? undefined : this.#asJudged(rule, found);
  }

  async refresh(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#timers.after(this.#refreshTimeoutMs, resolve);
    await Promise.race([this.#snapshot.refresh(), promise]);
    cancel();
  }

  #asJudged(rule: Rule, { kind, untilMs, limitsText }: FoundException): Exception {
    if (kind === 'block') return { effect: 'block', untilMs };
    if (kind === 'exemption') return { effect: 'exempt', untilMs };
    return { effect: 'replace', untilMs, set: this.#overridden.of(rule, limitsText ?? '[]') };
  }
}

/** Namespaces come to the limiter from the snapshot, which has parsed their rules. */
function isWhole(rule: CheckedNamespace['rule']): rule is Rule {
  return 'kind' in rule;
}
