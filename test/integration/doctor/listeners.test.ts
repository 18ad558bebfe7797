import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startBrume } from '../../support/brume-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { assertFailure, assertWarning, diagnose, stopped, told } from './diagnosis.ts';

/** Listens on a free port of the loopback until the test ends. */
async function listening(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('brume doctor, of the service and its listeners', { timeout: 300_000 }, () => {
  test('while Brume runs each listener answers, by the settings that the process was given', async (t) => {
    const socket = join(temporaryDirectory(t), 'brume.sock');
    const brume = await startBrume({ BRUME_SOCKET: socket });
    t.after(() => brume.stop());
    const { BRUME_ADMIN_SOCKET = '', BRUME_LISTEN } = brume.settings;
    const diagnosis = await diagnose({ BRUME_ADMIN_SOCKET });
    assert.equal(diagnosis.exitCode, 0);
    assert.match(told(diagnosis, 'service', 'ok')[0]?.text ?? '', new RegExp(`process ${brume.pid} on`));
    const texts = told(diagnosis, 'listeners', 'ok').map(({ text }) => text);
    assert.equal(texts.length, 3);
    for (const place of [BRUME_LISTEN, socket, BRUME_ADMIN_SOCKET])
      assert.ok(
        texts.some((text) => new RegExp(`${place}: Brume [\\d.]+ answers`).test(text)),
        place,
      );
  });

  test('while it is stopped places are tried that it would take, and nothing is left there', async (t) => {
    const settings = await stopped(t);
    const diagnosis = await diagnose(settings);
    assert.equal(diagnosis.exitCode, 0);
    assertWarning(diagnosis, 'service', /does not run/, /systemctl start brume/);
    assert.equal(told(diagnosis, 'listeners', 'ok').length, 2);
    assert.deepEqual(told(await diagnose(settings), 'listeners'), told(diagnosis, 'listeners'));
  });

  test('another program on the port is told by its name', async (t) => {
    const place = await listening(
      t,
      createHttpServer((_request, response) => response.end('hello')),
    );
    const diagnosis = await diagnose(await stopped(t, { BRUME_LISTEN: place }));
    assertFailure(
      diagnosis,
      'listeners',
      new RegExp(`another program answers there \\(.*process ${process.pid}\\)`),
      /Stop it, or set BRUME_LISTEN/,
    );
  });

  test('one that takes connections and says nothing is told', async (t) => {
    const place = await listening(t, createServer());
    const diagnosis = await diagnose(await stopped(t, { BRUME_LISTEN: place }));
    assertFailure(diagnosis, 'listeners', /does not answer within 3 s/, /journalctl/);
  });

  test('an address that is not of this machine is told', async (t) => {
    const diagnosis = await diagnose(await stopped(t, { BRUME_LISTEN: '192.0.2.1:8600' }));
    assertFailure(diagnosis, 'listeners', /no such address/, /ip address/);
  });

  test('a file where the admin socket should be is told', async (t) => {
    const settings = await stopped(t);
    writeFileSync(settings.BRUME_ADMIN_SOCKET ?? '', '');
    assertFailure(await diagnose(settings), 'listeners', /is no socket/, /Move it away/);
  });

  test('a place where the Brume that runs does not listen is told', async (t) => {
    const brume = await startBrume();
    t.after(() => brume.stop());
    const socket = join(temporaryDirectory(t), 'brume.sock');
    const diagnosis = await diagnose({ ...brume.settings, BRUME_SOCKET: socket });
    assertFailure(diagnosis, 'listeners', /nobody listens there, although Brume runs/, /systemctl reload/);
  });

  test('settings by which the one that runs would use other stores are told', async (t) => {
    const brume = await startBrume();
    t.after(() => brume.stop());
    const settings = { ...brume.settings, BRUME_REDIS_URL: 'redis://127.0.0.1:1' };
    assertWarning(
      await diagnose(settings),
      'service',
      /counters of the Brume that serves is embedded.*would be redis/,
      /Reload Brume/,
    );
  });

  test('a degraded Brume is told', async (t) => {
    const brume = await startBrume({ BRUME_REDIS_URL: 'redis://127.0.0.1:1' });
    t.after(() => brume.stop());
    const diagnosis = await diagnose(brume.settings);
    assertWarning(diagnosis, 'service', /says that it is degraded/, /brume status/);
    assertFailure(diagnosis, 'stores', /BRUME_REDIS_URL: .*ECONNREFUSED/, /Start Redis/);
  });
});
