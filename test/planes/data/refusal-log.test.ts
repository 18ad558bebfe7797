import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROJECT, startPlane, window } from './plane-harness.ts';

const CLIENT = { 'x-forwarded-for': '203.0.113.1' };

for (const kind of ['nginx', 'forward']) {
  test(`a ${kind} call that is refused for its configuration leaves a warning that says why`, async (t) => {
    const plane = await startPlane(t, {
      namespaces: { api: window(1), user: window(1, { identifyBy: 'header:X-User' }) },
    });
    const path = `/v1/auth/${kind}/`;
    const scopeless = plane.addKey({ scopes: ['peek'] });
    await plane.ask(`${path}api`);
    await plane.ask(`${path}other`, CLIENT);
    await plane.ask(`${path}api`, { ...CLIENT, 'x-brume-key': 'brume_sk_no-such-key-there-is' });
    await plane.ask(`${path}api`, { ...CLIENT, 'x-brume-key': scopeless });
    const route = `${path}:namespace`;
    const known = { level: 'warn', route, project: PROJECT };
    const shown = plane.logLines
      .filter(({ level }) => level === 'warn')
      .map(({ time: _time, requestId: _requestId, msg: _msg, ...rest }) => rest);
    assert.deepEqual(shown, [
      {
        ...known,
        code: 'bad_request',
        field: 'X-Forwarded-For',
        detail: 'X-Forwarded-For is needed from a trusted proxy.',
        key: 'key_1',
        namespace: 'api',
      },
      { ...known, code: 'unknown_namespace', field: 'namespace', key: 'key_1', namespace: 'other' },
      { level: 'warn', route, code: 'unauthorized', namespace: 'api' },
      { ...known, code: 'forbidden_scope', key: 'key_2', namespace: 'api' },
    ]);
  });
}

test('a flood of refusals is one line a second for each code, with the count of those left out', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(1) } });
  for (let n = 0; n < 20; n++) await plane.ask('/v1/auth/nginx/other', CLIENT);
  plane.nowMs += 1000;
  await plane.ask('/v1/auth/nginx/other', CLIENT);
  const warnings = plane.logLines.filter(({ level }) => level === 'warn');
  assert.deepEqual(
    warnings.map(({ suppressed }) => suppressed),
    [undefined, 19],
  );
});

test('a denial is no refusal, and no line of the log has an identifier or a key', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(1), user: window(1, { identifyBy: 'header:X-User' }) },
  });
  await plane.ask('/v1/auth/nginx/api', CLIENT);
  await plane.ask('/v1/auth/nginx/api', CLIENT);
  assert.deepEqual(
    plane.logLines.filter(({ level }) => level === 'warn'),
    [],
  );
  await plane.ask('/v1/auth/nginx/user', { ...CLIENT, 'x-user': `ann${'n'.repeat(600)}` });
  await plane.ask('/v1/auth/nginx/user', { 'x-user': 'ann', 'x-brume-key': 'brume_sk_secretsecret' });
  assert.equal(plane.logLines.filter(({ level }) => level === 'warn').length, 2);
  assert.doesNotMatch(JSON.stringify(plane.logLines), /ann|203\.0\.113|secretsecret/);
});
