import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { type AccessLogMode, createAccessLog } from '../../src/telemetry/access-log.ts';
import { createLogger } from '../../src/telemetry/log.ts';

const lines: Record<string, unknown>[] = [];
const log = createLogger({
  level: 'info',
  stream: new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  }),
});

const allowed = { status: 200, isDenied: false };
const denied = { status: 200, isDenied: true };
const refused = { status: 401, isDenied: true };
const fault = { status: 500, isDenied: true };

test('each mode logs what its name says', () => {
  const wants = (mode: AccessLogMode, random = 0.5) => {
    const access = createAccessLog(mode, log, () => random);
    return [allowed, denied, refused, fault].map((outcome) => access.wants(outcome));
  };
  assert.deepEqual(wants({ mode: 'off' }), [false, false, false, false]);
  assert.deepEqual(wants({ mode: 'all' }), [true, true, true, true]);
  assert.deepEqual(wants({ mode: 'denied' }), [false, true, true, true]);
  assert.deepEqual(wants({ mode: 'sample', oneIn: 100 }, 0.0099), [true, true, true, true]);
  assert.deepEqual(
    wants({ mode: 'sample', oneIn: 100 }, 0.01),
    [false, false, false, true],
    'faults are never left out',
  );
  assert.deepEqual(wants({ mode: 'sample', oneIn: 1 }, 0.999), [true, true, true, true]);
});

test('a sampled line says for how many it stands; a fault stands for itself', () => {
  const access = createAccessLog({ mode: 'sample', oneIn: 100 }, log, () => 0);
  const entry = { requestId: 'r', method: 'POST', route: '/v1/limit', durationMs: 1 };
  access.write({ ...entry, status: 200 });
  access.write({ ...entry, status: 503 });
  assert.deepEqual(
    lines.map((line) => line.sampledOneIn),
    [100, undefined],
  );
});
