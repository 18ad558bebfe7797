import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { startAdminPlane } from '../admin/admin-harness.ts';

const full = async (): Promise<never> => {
  throw new BrumeError('store_unavailable', { cause: new Error('database or disk is full') });
};

test('a store that fails is logged with its cause, seldom, and whoever asked is told where to look', async (t) => {
  let nowMs = 0;
  const { call, lines } = await startAdminPlane(t, ({ tenancy, clock }) => ({
    tenancy: Object.assign(Object.create(tenancy), { listProjects: full, createProject: full }),
    clock: { ...clock, monotonicMs: () => nowMs },
  }));
  const faults = () => lines.filter(({ msg }) => msg === 'the configuration store failed a management call');

  const write = await call('POST', '/v1/projects', { body: { name: 'shop' } });
  assert.equal(write.status, 503);
  assert.match(String(write.json?.detail), /log says why.*BRUME_STATE_DIR is full/);
  assert.match(String(write.json?.detail), /may or may not have happened: look before you repeat it\.$/);
  assert.equal(faults().length, 1);
  assert.equal(faults()[0]?.level, 'error');
  assert.match(JSON.stringify(faults()[0]), /database or disk is full/);

  const read = await call('GET', '/v1/projects');
  assert.match(String(read.json?.detail), /log says why/);
  assert.doesNotMatch(String(read.json?.detail), /happened/);
  assert.equal(faults().length, 1);
  nowMs += 1000;
  await call('GET', '/v1/projects');
  assert.equal(faults()[1]?.suppressed, 1);
});

test('where the store itself refused, whoever asked is told that nothing was changed', async (t) => {
  const refused = async (): Promise<never> => {
    throw new BrumeError('store_unavailable', { isUndone: true, cause: new Error('disk is full') });
  };
  const { call } = await startAdminPlane(t, ({ tenancy }) => ({
    tenancy: Object.assign(Object.create(tenancy), { createProject: refused }),
  }));
  const { status, json } = await call('POST', '/v1/projects', { body: { name: 'shop' } });
  assert.equal(status, 503);
  assert.match(String(json?.detail), / Nothing was changed\.$/);
});

test('what is refused for another reason says nothing of the store', async (t) => {
  const { call, lines } = await startAdminPlane(t);
  const { status, json } = await call('GET', '/v1/projects/none');
  assert.deepEqual([status, json?.code], [404, 'unknown_project']);
  assert.ok(!lines.some(({ level }) => level === 'error'));
});
