import { deepEqual, equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { call } from '../support/http-call.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { filled } from './front.ts';
import { frontBehaviour } from './front-behaviour.ts';
import { startHaproxy } from './haproxy-front.ts';
import { withBrume } from './with-brume.ts';

frontBehaviour('HAProxy', startHaproxy);

test('HAProxy’s own variables give the cost and the identifier, and the client’s headers neither', async () => {
  const rules = [
    'http-request set-var(txn.brume_cost) int(5) if { path /api/dear }',
    'http-request set-var(txn.brume_identifier) req.hdr(x-verified) if { path_beg /users/ }',
  ];
  await withBrume(
    'X-Identifier',
    (setUp) => startHaproxy(setUp, rules),
    async ({ url }) => {
      const forged = { 'X-Identifier': 'forged', 'X-Brume-Cost': '1' };
      equal((await call(`${url}/api/dear`, { headers: forged })).headers['x-ratelimit-remaining'], '2');
      equal((await call(`${url}/api/cheap`, { headers: forged })).headers['x-ratelimit-remaining'], '1');
      const remaining: unknown[] = [];
      for (const user of ['alice', 'alice', 'bob']) {
        const { headers } = await call(`${url}/users/`, { headers: { ...forged, 'X-Verified': user } });
        remaining.push(headers['x-ratelimit-remaining']);
      }
      deepEqual(remaining, ['6', '5', '6']);
      equal((await call(`${url}/users/`, { headers: forged })).status, 500, 'nobody is known');
    },
  );
});

test('HAProxy does not start without a key, or without a policy that it knows', (t) => {
  const directory = temporaryDirectory(t);
  const keyFile = join(directory, 'brume-key');
  const configuration = join(directory, 'brume.cfg');
  writeFileSync(join(directory, 'brume.lua'), filled('haproxy', 'brume.lua', {}));
  const outcome = (text: string) => {
    writeFileSync(configuration, text);
    const { status, stderr } = spawnSync('/usr/sbin/haproxy', ['-c', '-f', configuration], {
      encoding: 'utf8',
    });
    return { status, stderr };
  };
  const cfg = filled('haproxy', 'brume.cfg', { keyFile }, [
    '/etc/haproxy/brume.lua',
    `${directory}/brume.lua`,
  ]);

  match(outcome(cfg).stderr, /no key: .*No such file/);
  writeFileSync(keyFile, '\n');
  match(outcome(cfg).stderr, /no key in .*brume-key/);
  writeFileSync(keyFile, 'brume_sk_x\n');
  match(outcome(cfg.replace('UNANSWERED open', 'UNANSWERED ajar')).stderr, /must be open or closed/);
  equal(outcome(cfg).status, 0);
});
