import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brumeError } from '../../support/brume-error.ts';
import {
  ACTOR,
  exceptionOf,
  exceptionRules,
  MAX_RULE,
  newKey,
  ODD_MATCHES,
  OTHER,
  RULE,
  ruleOf,
  rulesOf,
} from './samples.ts';
import type { Opened } from './stores.ts';

const APPLY = { actor: ACTOR, prune: false };
const PRUNE = { actor: ACTOR, prune: true };
const FULL = rulesOf({
  api: {
    rule: RULE,
    exceptions: {
      block: ODD_MATCHES.map((match) => exceptionRules(match, { reason: match.slice(0, 50) })),
      exemption: [],
      override: [
        exceptionRules('a*', { form: 'pattern', limits: [{ name: 'default', limit: 2 ** 53 - 1 }] }),
      ],
    },
  },
  'b-only': { rule: MAX_RULE, exceptions: { block: [], exemption: [], override: [] } },
});

/** A project's rules as a whole. */
export function rulesCases(stores: Opened): void {
  const newProject = async (name: string) => (await stores().tenancy.createProject({ name }, ACTOR)).id;
  const shown = async (projectId: string) => (await stores().rules.exportRules(projectId)).rules;

  it('what is applied is exported as it was, and applying it again changes nothing', async () => {
    const projectId = await newProject('applied');
    assert.deepEqual(await stores().rules.exportRules(projectId), { revision: 0, rules: rulesOf({}) });
    const before = await stores().revision();
    const applied = await stores().rules.applyRules(projectId, FULL, APPLY);
    assert.equal(applied.revision, before + 1);
    assert.equal(applied.items.length, 2 + ODD_MATCHES.length + 1);
    const exported = await stores().rules.exportRules(projectId);
    assert.equal(exported.revision, applied.revision);
    const sorted = [...ODD_MATCHES].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const { rules } = exported;
    assert.deepEqual(
      rules.namespaces.get('api')?.exceptions.block?.map(({ match }) => match),
      sorted,
    );
    assert.deepEqual(rules.namespaces.get('b-only'), FULL.namespaces.get('b-only'));
    assert.deepEqual(
      rules.namespaces.get('api')?.exceptions.override,
      FULL.namespaces.get('api')?.exceptions.override,
    );
    for (const same of [FULL, rules]) {
      assert.deepEqual(await stores().rules.applyRules(projectId, same, PRUNE), {
        revision: applied.revision,
        items: [],
      });
    }
    assert.equal(await stores().revision(), applied.revision);
    assert.deepEqual((await stores().rules.listChanges(projectId, { pageSize: 10 })).length, 1);
  });

  it('a difference is what applying does, and writes nothing', async () => {
    const projectId = await newProject('differing');
    await stores().rules.applyRules(projectId, FULL, APPLY);
    const wanted = rulesOf({
      api: {
        rule: ruleOf(3),
        exceptions: { block: [exceptionRules('new'), exceptionRules(ODD_MATCHES[0] ?? '')] },
      },
    });
    for (const prune of [false, true]) {
      const before = await stores().revision();
      const diff = await stores().rules.diffRules(projectId, wanted, { prune });
      assert.equal(await stores().revision(), before);
      assert.equal(diff.revision, before);
      const applied = await stores().rules.applyRules(projectId, wanted, { actor: ACTOR, prune });
      assert.deepEqual(applied, { revision: before + 1, items: diff.items });
    }
    const { namespaces } = await shown(projectId);
    assert.deepEqual([...namespaces.keys()], ['api']);
    assert.deepEqual(namespaces.get('api')?.rule, ruleOf(3));
    assert.equal(namespaces.get('api')?.exceptions.block?.length, 2);
    assert.equal(namespaces.get('api')?.exceptions.override?.length, 1);
  });

  it('what the file does not have stays where nothing is pruned, and sections it does not have stay always', async () => {
    const projectId = await newProject('unpruned');
    await stores().rules.applyRules(projectId, FULL, APPLY);
    const before = await shown(projectId);
    const partial = rulesOf({ api: { rule: RULE, exceptions: { block: [] } } });
    assert.deepEqual((await stores().rules.applyRules(projectId, partial, APPLY)).items, []);
    assert.deepEqual(await shown(projectId), before);
    const { items } = await stores().rules.applyRules(projectId, rulesOf({ api: { rule: RULE } }), PRUNE);
    assert.deepEqual(
      items.map(({ namespace }) => namespace),
      ['b-only'],
    );
    assert.deepEqual((await shown(projectId)).namespaces.get('api'), before.namespaces.get('api'));
  });

  it('a rule that changes keeps its namespace, an exception that changes its id', async () => {
    const projectId = await newProject('kept-ids');
    await stores().rules.applyRules(projectId, FULL, APPLY);
    const namespace = await stores().policy.findNamespace(projectId, 'api');
    const list = async () =>
      (await stores().exceptions.listExceptions(namespace?.id ?? '', { match: 'a*', pageSize: 1 })).items[0];
    const exception = await list();
    stores().clock.advance(1000);
    const override = [exceptionRules('a*', { form: 'pattern', limits: [{ name: 'default', limit: 1 }] })];
    await stores().rules.applyRules(
      projectId,
      rulesOf({ api: { rule: ruleOf(3), exceptions: { override } } }),
      {
        ...APPLY,
        actor: OTHER,
      },
    );
    const changed = await stores().policy.findNamespace(projectId, 'api');
    assert.deepEqual([changed?.id, changed?.version], [namespace?.id, 2]);
    const { id, author, createdAtMs, updatedAtMs } = (await list()) ?? {};
    assert.deepEqual([id, createdAtMs], [exception?.id, exception?.createdAtMs]);
    assert.deepEqual([author, updatedAtMs], ['local:other', stores().clock.nowMs()]);
  });

  it('an expired exception is neither exported nor compared with, and makes room', async () => {
    const projectId = await newProject('expired-rules');
    const { id } = await stores().policy.createNamespace(projectId, 'api', RULE, ACTOR);
    const expiresAtMs = stores().clock.nowMs() + 1000;
    await stores().exceptions.addException(id, exceptionOf('a', { expiresAtMs }), {
      actor: ACTOR,
      replace: false,
    });
    stores().clock.advance(1000);
    assert.deepEqual((await shown(projectId)).namespaces.get('api')?.exceptions.block, []);
    const wanted = rulesOf({ api: { rule: RULE, exceptions: { block: [exceptionRules('a')] } } });
    const { items } = await stores().rules.applyRules(projectId, wanted, APPLY);
    assert.deepEqual(
      items.map(({ before, exception }) => [before, exception?.match]),
      [[null, 'a']],
    );
    assert.deepEqual((await stores().rules.diffRules(projectId, wanted, PRUNE)).items, []);
  });

  it('another last change than the expected one is refused, and nothing changes', async () => {
    const projectId = await newProject('expected');
    const { revision } = await stores().rules.applyRules(projectId, FULL, { ...APPLY, expectedRevision: 0 });
    const before = await stores().revision();
    const wanted = rulesOf({ api: { rule: ruleOf(3) } });
    for (const expectedRevision of [0, revision - 1, revision + 1]) {
      const refused = stores().rules.applyRules(projectId, wanted, { ...APPLY, expectedRevision });
      await assert.rejects(refused, brumeError('revision_conflict'));
      const rolledBack = stores().rules.rollBack(projectId, revision, { actor: ACTOR, expectedRevision });
      await assert.rejects(rolledBack, brumeError('revision_conflict'));
    }
    assert.equal(await stores().revision(), before);
    await stores().tenancy.createKey(projectId, newKey(), ACTOR);
    await stores().rules.applyRules(projectId, wanted, { ...APPLY, expectedRevision: revision });
  });

  it('what does not fit is refused as a whole', async () => {
    const projectId = await newProject('all-or-nothing');
    const block = Array.from({ length: 1001 }, (_, n) => exceptionRules(`p${n}*`, { form: 'pattern' }));
    const wanted = rulesOf({ other: { rule: RULE }, api: { rule: RULE, exceptions: { block } } });
    const before = await stores().revision();
    await assert.rejects(
      stores().rules.applyRules(projectId, wanted, APPLY),
      brumeError('bad_request', 'match'),
    );
    assert.equal(await stores().revision(), before);
    assert.deepEqual(await shown(projectId), rulesOf({}));
  });

  it('of two that apply at once both land, one after the other', async () => {
    const projectId = await newProject('applied-at-once');
    const before = await stores().revision();
    const results = await Promise.all(
      ['a', 'b'].map((name) =>
        stores().rules.applyRules(projectId, rulesOf({ [name]: { rule: RULE } }), APPLY),
      ),
    );
    assert.deepEqual(
      results.map(({ revision }) => revision).sort((a, b) => a - b),
      [before + 1, before + 2],
    );
    assert.deepEqual([...(await shown(projectId)).namespaces.keys()], ['a', 'b']);
  });

  it('an export and a difference are as of one moment, whatever is changed meanwhile', async () => {
    const projectId = await newProject('one-moment');
    const rulesFor = (limit: number) =>
      rulesOf({
        a: { rule: ruleOf(limit) },
        z: { rule: ruleOf(limit), exceptions: { block: [exceptionRules(`${limit}`)] } },
      });
    await stores().rules.applyRules(projectId, rulesFor(0), PRUNE);
    const writing = (async () => {
      for (let limit = 1; limit <= 10; limit++)
        await stores().rules.applyRules(projectId, rulesFor(limit), PRUNE);
    })();
    for (let n = 0; n < 20; n++) {
      const { revision, rules } = await stores().rules.exportRules(projectId);
      const { items } = (await stores().rules.findChange(projectId, revision)) ?? {};
      const limit = rules.namespaces.get('a')?.rule.limits[0]?.limit;
      assert.deepEqual(rules.namespaces.get('z')?.rule, ruleOf(limit ?? -1));
      assert.deepEqual(rules.namespaces.get('z')?.exceptions.block, [exceptionRules(`${limit}`)]);
      assert.ok(items?.some(({ exception, after }) => exception?.match === `${limit}` && after !== null));
      const diff = await stores().rules.diffRules(projectId, rulesFor(0), { prune: true });
      assert.ok(diff.items.length === 0 || diff.items.length === 4);
    }
    await writing;
  });

  it('a project that is not there is named', async () => {
    const { rules } = stores();
    const unknown = brumeError('unknown_project');
    const before = await stores().revision();
    await assert.rejects(rules.exportRules('prj_none'), unknown);
    await assert.rejects(rules.diffRules('prj_none', FULL, PRUNE), unknown);
    await assert.rejects(rules.applyRules('prj_none', FULL, PRUNE), unknown);
    await assert.rejects(rules.listChanges('prj_none', { pageSize: 1 }), unknown);
    await assert.rejects(rules.findChange('prj_none', 1), unknown);
    await assert.rejects(rules.rollBack('prj_none', 1, PRUNE), unknown);
    assert.equal(await stores().revision(), before);
  });
}
