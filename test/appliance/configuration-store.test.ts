import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { openConfigurationStore } from '../../src/appliance/configuration-store.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { recordedLog } from './fakes.ts';

/** PostgreSQL's ErrorResponse: severity, SQLSTATE and message, each with its letter and a NUL. */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

test('a PostgreSQL that refuses is not said to be away: its own words are shown', async (t) => {
  const answer = errorResponse('28P01', 'password authentication failed for user "brume"');
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const config = loadConfig({
    env: { BRUME_DATABASE_URL: `postgres://brume:hunter2@127.0.0.1:${port}/brume` },
    defaultFile: '/nonexistent/brume.conf',
  });
  const { sql, away } = await openConfigurationStore(config, recordedLog().log);
  t.after(() => sql.close());
  assert.equal(away?.name, 'StartError');
  assert.equal(
    away?.message,
    'BRUME_DATABASE_URL: PostgreSQL refuses: password authentication failed for user "brume"',
  );
});
