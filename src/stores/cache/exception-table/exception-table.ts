import { ENDLESS } from '../../../limiter/exceptions.ts';
import { EXCEPTION_KINDS, type ExceptionKind } from '../../../policy/exceptions/rule-exception.ts';
import type { NamespaceKind } from '../../../policy/names.ts';
import type { ExceptionRow, ExceptionRows, FoundException } from '../exception-rows.ts';
import type { RemovedException } from '../snapshot-source.ts';
import { newHashKey } from './keyed-hash.ts';
import { type KeptFields, NamespaceExceptions } from './namespace-exceptions.ts';

/**
 * The blocks, exemptions and overrides of all namespaces in memory: compact, and in small parts, so
 * that no call takes more than about a millisecond however many there are. Never throws for what a
 * store may hold: a match that can't be read matches nothing, and is not kept.
 */
export class ExceptionTable implements ExceptionRows {
  readonly #hashKey = newHashKey();
  /** Without those that have none: a lookup there is one miss of a Map. */
  readonly #namespaces = new Map<string, NamespaceExceptions>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Estimated. */
  get bytes(): number {
    let bytes = 0;
    for (const namespace of this.#namespaces.values()) bytes += namespace.bytes;
    return bytes;
  }

  /** Adds one, or puts it in the place of the one with the same namespace, match and kind. */
  upsert({ namespaceId, kind, form, match, limitsText, createdAtMs, expiresAtMs }: ExceptionRow): void {
    const namespace = this.#namespaces.get(namespaceId) ?? new NamespaceExceptions(this.#hashKey);
    const before = namespace.count;
    const fields = { kind: EXCEPTION_KINDS.indexOf(kind), createdAtMs, expiresAtMs, limitsText };
    if (fields.kind !== -1) namespace.set(form, match, fields);
    this.#settle(namespaceId, namespace, before);
  }

  remove({ namespaceId, match, kind }: Pick<RemovedException, 'namespaceId' | 'kind' | 'match'>): void {
    const namespace = this.#namespaces.get(namespaceId);
    if (namespace === undefined) return;
    const before = namespace.count;
    namespace.remove(match, EXCEPTION_KINDS.indexOf(kind));
    this.#settle(namespaceId, namespace, before);
  }

  dropNamespace(namespaceId: string): void {
    this.#count -= this.#namespaces.get(namespaceId)?.count ?? 0;
    this.#namespaces.delete(namespaceId);
  }

  /**
   * The one that decides, by the contract's precedence. `subject` is the identifier; in a namespace of
   * kind `ip` the full canonical address.
   */
  find(namespaceId: string, kind: NamespaceKind, subject: string, nowMs: number): FoundException | undefined {
    const found = this.#namespaces.get(namespaceId)?.find(kind, subject, nowMs);
    if (found === undefined) return undefined;
    return { kind: kindOf(found), untilMs: found.expiresAtMs ?? ENDLESS, limitsText: found.limitsText };
  }

  /** Goes on while the table changes: what is there from the beginning to the end comes once. */
  *rows(): Generator<ExceptionRow, void, undefined> {
    for (const [namespaceId, namespace] of this.#namespaces) {
      for (const batch of namespace.batches()) {
        for (const { form, match, fields } of batch) {
          const { createdAtMs, expiresAtMs, limitsText } = fields;
          yield { namespaceId, kind: kindOf(fields), form, match, limitsText, createdAtMs, expiresAtMs };
        }
      }
    }
  }

  #settle(namespaceId: string, namespace: NamespaceExceptions, before: number): void {
    const { count } = namespace;
    this.#count += count - before;
    if (count === 0) this.#namespaces.delete(namespaceId);
    else if (before === 0) this.#namespaces.set(namespaceId, namespace);
  }
}

function kindOf({ kind }: KeptFields): ExceptionKind {
  return EXCEPTION_KINDS[kind] ?? 'block';
}
