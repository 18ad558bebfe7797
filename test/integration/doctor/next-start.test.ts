import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { settingsOf } from '../../../src/cli/by-hand/service-settings.ts';
import { nextStartFindings } from '../../../src/cli/commands/doctor/next-start.ts';
import { type ServiceUnit, serviceUnitOf } from '../../../src/operations/installed/service-unit.ts';
import { propertiesIn } from '../../../src/operations/installed/unit-properties.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A store of credentials, what the process that serves was given of it, and what doctor says of the next one. */
function service(t: TestContext, unit: Partial<ServiceUnit>) {
  const directory = temporaryDirectory(t);
  const [store, handed, file] = [
    join(directory, 'store'),
    join(directory, 'handed'),
    join(directory, 'brume.conf'),
  ];
  for (const path of [store, handed]) mkdirSync(path);
  writeFileSync(file, '');
  const findings = () => {
    const settings = settingsOf(
      { ...serviceUnitOf(propertiesIn(''), ''), ...unit },
      { stores: [store], encrypted: [store] },
    );
    return nextStartFindings(file, { service: settings, serving: { CREDENTIALS_DIRECTORY: handed } });
  };
  return { store, handed, findings };
}

const redisUrl = [{ name: 'brume_redis_url', source: 'brume_redis_url' }];

test('a secret that was emptied while Brume serves is told: the next start would fail', (t) => {
  const { store, handed, findings } = service(t, { credentials: redisUrl });
  for (const directory of [store, handed])
    writeFileSync(join(directory, 'brume_redis_url'), 'redis://127.0.0.1');
  assert.deepEqual(findings(), []);
  writeFileSync(join(store, 'brume_redis_url'), '');
  const [finding, ...more] = findings();
  assert.deepEqual(more, []);
  assert.equal(finding?.state, 'failure');
  assert.match(
    finding?.text ?? '',
    /^The next start would fail: BRUME_REDIS_URL \(.*store\/brume_redis_url\): the file is empty\.$/,
  );
});

test('a directory in its place, and a line of the unit that is wrong, are told too', (t) => {
  const { store, findings } = service(t, {
    credentials: redisUrl,
    environment: [['BRUME_DRAIN_MS', 'soon']],
  });
  mkdirSync(join(store, 'brume_redis_url'));
  const texts = findings().map(({ state, text }) => `${state} ${text}`);
  assert.equal(texts.length, 2, texts.join('\n'));
  for (const said of [/BRUME_REDIS_URL .*it is a directory/, /BRUME_DRAIN_MS/])
    assert.ok(
      texts.some((text) => text.startsWith('failure The next start would fail: ') && said.test(text)),
      texts.join('\n'),
    );
});

test('an encrypted secret is taken as the one that serves was given it', (t) => {
  const { store, handed, findings } = service(t, { encryptedCredentials: redisUrl });
  writeFileSync(join(store, 'brume_redis_url'), 'sealed');
  assert.deepEqual(findings(), []);
  writeFileSync(join(handed, 'brume_redis_url'), 'redis://127.0.0.1');
  assert.deepEqual(findings(), []);
  writeFileSync(join(handed, 'brume_redis_url'), 'nonsense');
  assert.match(findings()[0]?.text ?? '', /^The next start would fail: BRUME_REDIS_URL .*handed/);
});
