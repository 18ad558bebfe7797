import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { SQL_DIALECTS } from '../support/sql-engines.ts';
import {
  ACTOR,
  BY,
  exceptionOf,
  exceptionRules,
  ODD_MATCHES,
  ruleOf,
  rulesOf,
} from './configuration/samples.ts';
import { stateOf } from './configuration/state.ts';
import { ConfigurationStores } from './configuration/stores.ts';

const NAMES = ['a', 'b'];
const MATCHES = ['x', 'y', ...ODD_MATCHES.slice(0, 2)];

const name = fc.constantFrom(...NAMES);
const match = fc.constantFrom(...MATCHES);
const kind = fc.constantFrom('block', 'exemption', 'override');
const small = fc.integer({ min: 1, max: 3 });
const section = fc.option(
  fc.uniqueArray(fc.record({ match, reason: fc.constantFrom('', 'r') }), {
    selector: (entry) => entry.match,
  }),
);

/** One random change. What it can't do to what is there, it leaves. */
const step = fc.oneof(
  fc.record({ type: fc.constant('put'), name, limit: small }),
  fc.record({ type: fc.constant('delete'), name }),
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('add'), name, match, kind, reason: fc.constantFrom('', 'r') }),
  },
  fc.record({ type: fc.constant('remove'), name, match, kind }),
  fc.record({
    type: fc.constant('apply'),
    prune: fc.boolean(),
    files: fc.dictionary(name, fc.record({ limit: small, blocks: section, exemptions: section })),
  }),
  fc.record({ type: fc.constant('back'), to: fc.nat() }),
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

class History {
  readonly #stores: ConfigurationStores;
  readonly projectId: string;
  /** What held after each change. */
  readonly states = new Map<number, unknown>();

  constructor(stores: ConfigurationStores, projectId: string) {
    this.#stores = stores;
    this.projectId = projectId;
  }

  /** Takes a step and notes what holds then, if it changed anything. */
  async take(taken: Step): Promise<void> {
    this.#stores.clock.advance(1000);
    await this.#change(taken);
    const [last] = await this.#stores.rules.listChanges(this.projectId, { pageSize: 1 });
    const state = await this.state();
    const known = last && this.states.get(last.revision);
    if (known !== undefined) assert.deepEqual(state, known);
    else if (last !== undefined) this.states.set(last.revision, state);
  }

  state(): Promise<unknown> {
    return stateOf(this.#stores, this.projectId);
  }

  rollBack(revision: number): Promise<unknown> {
    return this.#stores.rules.rollBack(this.projectId, revision, BY);
  }

  async #change(taken: Step): Promise<unknown> {
    const { policy, exceptions, rules } = this.#stores;
    const { projectId } = this;
    if (taken.type === 'apply') {
      const files = Object.entries(taken.files).map(([of, { limit, blocks, exemptions }]) => {
        const sectionOf = (entries: typeof blocks) =>
          entries?.map(({ match: at, reason }) => exceptionRules(at, { reason }));
        const block = sectionOf(blocks);
        const exemption = sectionOf(exemptions);
        return [
          of,
          { rule: ruleOf(limit), exceptions: { ...(block && { block }), ...(exemption && { exemption }) } },
        ];
      });
      return rules.applyRules(projectId, rulesOf(Object.fromEntries(files)), {
        actor: ACTOR,
        prune: taken.prune,
      });
    }
    if (taken.type === 'back') {
      const known = [...this.states.keys()];
      const revision = known[taken.to % Math.max(1, known.length)];
      return revision === undefined ? undefined : this.rollBack(revision);
    }
    const namespace = await policy.findNamespace(projectId, taken.name);
    if (taken.type === 'put') {
      return namespace === undefined
        ? policy.createNamespace(projectId, taken.name, ruleOf(taken.limit), ACTOR)
        : policy.updateNamespace(projectId, taken.name, ruleOf(taken.limit), BY);
    }
    if (namespace === undefined) return undefined;
    if (taken.type === 'delete') return policy.deleteNamespace(projectId, taken.name, BY);
    if (taken.type === 'remove') {
      return exceptions.removeException(namespace.id, taken, BY).catch(() => undefined);
    }
    const limits = taken.kind === 'override' ? [{ name: 'default', limit: 2 ** 53 - 1 }] : null;
    const { kind: of, reason } = taken;
    return exceptions.addException(namespace.id, exceptionOf(taken.match, { kind: of, reason, limits }), {
      actor: ACTOR,
      replace: true,
    });
  }
}

for (const dialect of SQL_DIALECTS) {
  describe(`histories in ${dialect}`, () => {
    let stores: ConfigurationStores;

    before(async () => {
      stores = await ConfigurationStores.open(dialect);
    });
    after(() => stores.close());

    it('undone in reverse, and in one step, a random history leads back to every earlier state', async () => {
      let projects = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
          const { id } = await stores.tenancy.createProject({ name: `random-${++projects}` }, ACTOR);
          const history = new History(stores, id);
          for (const taken of steps) await history.take(taken);
          const revisions = [...history.states.keys()];
          for (const revision of [...revisions].reverse()) {
            await history.rollBack(revision);
            assert.deepEqual(await history.state(), history.states.get(revision));
          }
          for (const revision of revisions) {
            await history.rollBack(revision);
            assert.deepEqual(await history.state(), history.states.get(revision));
          }
        }),
        { numRuns: 25 },
      );
    });
  });
}
