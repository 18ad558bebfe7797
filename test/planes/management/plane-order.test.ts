import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceHooks, watchStart } from '../../support/trace-hooks.ts';
import { startManagementPlane } from './plane-harness.ts';

const BEFORE_THE_HANDLER = [
  'allowListedOrigins',
  'setDeadline',
  'helmetConfigureReply',
  'helmetApplyHeaders',
  'setPlaneHeaders',
  'limitBody',
  'setRequestId',
  'findOutWhoAsks',
  'authorise',
  'refuseIfMatch',
];

test('a request to the management plane meets the hooks in the order of the contract', async (t) => {
  const trace: string[] = [];
  watchStart(t, (app) => traceHooks(app, trace));
  const { call, user } = await startManagementPlane(t, {
    replace: ({ tenancy }) => ({
      tenancy: Object.assign(Object.create(tenancy), {
        listProjects: async () => {
          trace.push('handler');
          return [];
        },
      }),
    }),
  });
  await user('anna', { acme: 'admin' });

  await call('GET', '/v1/projects', { as: 'anna' });
  assert.deepEqual(trace, [
    ...BEFORE_THE_HANDLER,
    'inviteBody',
    'authoriseBody',
    'handler',
    'countResponse',
    'logAccess',
    'logWrite',
  ]);

  trace.length = 0;
  await call('POST', '/v1/projects', { body: { name: 'shop' } });
  assert.deepEqual(trace, [
    ...BEFORE_THE_HANDLER.filter((name) => name !== 'authorise' && name !== 'refuseIfMatch'),
    'countResponse',
    'logAccess',
    'logWrite',
  ]);
});
