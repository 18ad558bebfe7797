import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runBrume } from '../../support/brume-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { diagnose, stopped, told } from './diagnosis.ts';

const CHECKS = [
  'configuration',
  'service',
  'listeners',
  'permissions',
  'stores',
  'schema',
  'redis-policy',
  'clocks',
  'proxy-trust',
  'disk',
  'descriptors',
  'certificates',
];

describe('brume doctor, of its answers', { timeout: 120_000 }, () => {
  test('every check is told of, in one order, a line each, with what to do behind it', async (t) => {
    const settings = await stopped(t);
    const { stdout, stderr, exitCode } = await runBrume(settings, 'doctor');
    assert.deepEqual({ exitCode, stderr }, { exitCode: 0, stderr: '' });
    const { findings } = await diagnose(settings);
    assert.deepEqual([...new Set(findings.map(({ check }) => check))], CHECKS);
    const lines = findings.map(({ state, check, text, remedy }) =>
      [state.padEnd(7), check.padEnd(13), remedy === null ? text : `${text} ${remedy}`].join('  '),
    );
    // Meanwhile the disk may have become fuller.
    const comparable = (shown: string) => shown.replace(/\d+ [MG]iB/g, 'some');
    assert.equal(comparable(stdout), comparable(`${lines.join('\n')}\n`));
  });

  test('what is amiss has a remedy, and what is well has none', async (t) => {
    const { findings } = await diagnose(await stopped(t, { BRUME_REDIS_URL: 'redis://127.0.0.1:1' }));
    for (const { state, remedy, text } of findings) assert.equal(remedy === null, state === 'ok', text);
  });

  test('a configuration that is not valid is told fault by fault, and is exit code 78', async (t) => {
    const diagnosis = await diagnose(await stopped(t, { BRUME_LISTEN: 'nowhere', BRUME_LISTNE: 'x' }));
    assert.equal(diagnosis.exitCode, 78);
    assert.equal(diagnosis.healthy, false);
    assert.equal(told(diagnosis, 'configuration', 'failure').length, 2);
    assert.equal(diagnosis.findings.length, 2);
  });

  test('a certificate that is none is a fault of the configuration', async (t) => {
    const path = join(temporaryDirectory(t), 'ca.crt');
    writeFileSync(path, 'nothing');
    const settings = { BRUME_REDIS_URL: 'rediss://127.0.0.1:1', BRUME_REDIS_TLS_CA: path };
    const diagnosis = await diagnose(await stopped(t, settings));
    assert.equal(diagnosis.exitCode, 78);
    assert.match(diagnosis.findings[0]?.text ?? '', /BRUME_REDIS_TLS_CA .*holds no certificate/);
  });

  test('a page that is no URL, or holds a password, is refused', async (t) => {
    const settings = await stopped(t);
    for (const url of ['nowhere', 'ftp://example.org/', 'https://user:word@example.org/']) {
      const { exitCode, stdout } = await runBrume(settings, 'doctor', '--through', url);
      assert.deepEqual({ exitCode, stdout }, { exitCode: 2, stdout: '' }, url);
    }
  });
});
