import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OPTIONS } from '../../src/config/options.ts';

const SOCKETS = ['brume.socket', 'brume-management.socket', 'brume-admin.socket'];

/** What the unit says for a key, line by line. */
function said(unit: string, key: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../systemd', unit), 'utf8');
  const lines = text.split('\n').filter((line) => line.startsWith(`${key}=`));
  return lines.map((line) => line.slice(key.length + 1));
}

test('every secret of the configuration can be given in /etc/credstore', () => {
  const secrets = Object.entries(OPTIONS).filter(([, option]) => 'isSecret' in option);
  const names = secrets.map(([variable]) => variable.toLowerCase());
  assert.deepEqual(said('brume@.service', 'LoadCredential').sort(), names.sort());
});

test('the sockets are where the configuration says by default, and each has the name of its plane', () => {
  const places = SOCKETS.map((unit) => [said(unit, 'FileDescriptorName')[0], said(unit, 'ListenStream')]);
  assert.deepEqual(places, [
    ['data', [OPTIONS.BRUME_LISTEN.default, OPTIONS.BRUME_SOCKET.example]],
    ['management', [OPTIONS.BRUME_MANAGEMENT_LISTEN.default]],
    ['admin', [OPTIONS.BRUME_ADMIN_SOCKET.default]],
  ]);
  assert.deepEqual(said('brume@.service', 'Sockets'), [SOCKETS.join(' ')]);
});

test('no limit of starts can fail the sockets', () => {
  for (const unit of ['brume.service', 'brume@.service', 'brume-stop.service', ...SOCKETS])
    assert.deepEqual(said(unit, 'StartLimitIntervalSec'), ['0']);
  for (const unit of SOCKETS) assert.deepEqual(said(unit, 'TriggerLimitIntervalSec'), ['0']);
});

test('V8 may compile, and Node.js is told nothing by the environment', () => {
  assert.deepEqual(said('brume@.service', 'MemoryDenyWriteExecute'), []);
  const unset = said('brume@.service', 'UnsetEnvironment').join(' ').split(' ');
  for (const name of ['NODE_OPTIONS', 'PKG_EXECPATH', 'NODE_EXTRA_CA_CERTS'])
    assert.ok(unset.includes(name), name);
});

test('a drain by default ends before systemd kills', () => {
  const stopMs = Number(said('brume@.service', 'TimeoutStopSec')[0]) * 1000;
  assert.ok(stopMs > Number(OPTIONS.BRUME_DRAIN_MS.default));
});
