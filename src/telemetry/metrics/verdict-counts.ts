import { PLACES_MAX, Places } from './places.ts';
import { labelsText, type Sample } from './sample.ts';

export interface CountedNamespace {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
}

export interface CountedVerdict {
  readonly success: boolean;
  readonly reason: string | null;
  readonly degraded: boolean;
}

/** As labels, in the order of their slots; what a later version may answer is `other`. */
const REASONS = [
  'none',
  'limit',
  'quota',
  'blocked',
  'exempt',
  'impossible',
  'lease_required',
  'store_unavailable',
  'other',
] as const;
const SLOT_OF_REASON: ReadonlyMap<string | null, number> = new Map<string | null, number>([
  ...REASONS.map((reason, index): [string, number] => [reason, index]),
  [null, 0],
]);
const SLOT_OF_OTHER = REASONS.length - 1;

/** A reason's slots: denied or allowed, as judged or degraded. */
const SLOTS = REASONS.length * 4;
/** Written from the first, so that the first denial already shows as a rise. */
const ALWAYS_WRITTEN = new Set([slotOf(0, true, false), slotOf(1, false, false)]);

const LABELS = ['project', 'namespace', 'decision', 'reason', 'degraded'];

/** Verdicts by namespace. A verdict costs two look-ups and an addition, and makes nothing. */
export class VerdictCounts {
  /** By namespace id, for the ones that were met. */
  readonly #met = new Map<string, { readonly namespace: CountedNamespace; readonly counts: Float64Array }>();
  /** By project and name: a namespace that is made again under its name goes on where it was. */
  readonly #places: Places<Float64Array>;

  constructor(max = PLACES_MAX) {
    this.#places = new Places(() => new Float64Array(SLOTS), max);
  }

  count(namespace: CountedNamespace, { success, reason, degraded }: CountedVerdict): void {
    const counts = this.#met.get(namespace.id)?.counts ?? this.#meet(namespace);
    const slot = slotOf(SLOT_OF_REASON.get(reason) ?? SLOT_OF_OTHER, success, degraded);
    counts[slot] = (counts[slot] as number) + 1;
  }

  /** Frees the places of namespaces that are gone. */
  retain(exists: (namespace: CountedNamespace) => boolean): void {
    const living = new Set<string>();
    for (const [id, { namespace }] of this.#met) {
      if (exists(namespace)) living.add(placeOf(namespace));
      else this.#met.delete(id);
    }
    this.#places.retain((name) => living.has(name));
  }

  *samples(): Iterable<Sample> {
    for (const [name, counts] of this.#places.entries()) {
      const [project = '', namespace = ''] = name === undefined ? ['other', 'other'] : name.split('/');
      for (let slot = 0; slot < SLOTS; slot++) {
        const value = counts[slot] as number;
        if (value === 0 && !ALWAYS_WRITTEN.has(slot)) continue;
        yield { suffix: '', labels: labelsText(LABELS, [project, namespace, ...labelsOf(slot)]), value };
      }
    }
  }

  #meet(namespace: CountedNamespace): Float64Array {
    const place = placeOf(namespace);
    const counts = this.#places.of(place);
    // Those without a place are not remembered: there may be any number of them.
    if (this.#places.has(place)) this.#met.set(namespace.id, { namespace, counts });
    return counts;
  }
}

/** Neither part can have a slash. */
function placeOf({ projectId, name }: CountedNamespace): string {
  return `${projectId}/${name}`;
}

function slotOf(reason: number, success: boolean, degraded: boolean): number {
  return reason * 4 + (success ? 2 : 0) + (degraded ? 1 : 0);
}

function labelsOf(slot: number): [decision: string, reason: string, degraded: string] {
  const reason = REASONS[Math.floor(slot / 4)] ?? 'other';
  return [(slot & 2) === 0 ? 'denied' : 'allowed', reason, String((slot & 1) === 1)];
}
