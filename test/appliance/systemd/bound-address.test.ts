import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ListenOptions } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { boundAddressOf } from '../../../src/appliance/systemd/bound-address.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

async function listening(t: TestContext, options: ListenOptions) {
  const server = createServer();
  server.listen(options);
  await once(server, 'listening');
  t.after(() => server.close());
  const handle = '_handle' in server ? server._handle : undefined;
  if (typeof handle !== 'object' || handle === null || !('fd' in handle)) throw new Error('no descriptor');
  return { server, fd: Number(handle.fd) };
}

for (const host of ['127.0.0.1', '127.1.2.3', '::1', '::']) {
  test(`the kernel tells that a socket is bound to ${host}`, async (t) => {
    const { server, fd } = await listening(t, { host, port: 0 });
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    assert.deepEqual(boundAddressOf(fd), { host, port: address.port });
  });
}

test('and the path of a Unix socket, blanks and all', async (t) => {
  const path = join(temporaryDirectory(t), 'a socket');
  const { fd } = await listening(t, { path });
  assert.deepEqual(boundAddressOf(fd), { path });
});

test('a file, a descriptor that is not open, and a socket that does not listen are none', () => {
  assert.equal(boundAddressOf(0), undefined);
  assert.equal(boundAddressOf(9999), undefined);
  const connected = '  0: 0100007F:2198 0100007F:C350 01 00000000:00000000 00:00000000 00000000 0 0 77 1 0\n';
  const kernel = { link: () => 'socket:[77]', table: (name: string) => (name === 'tcp' ? connected : '') };
  assert.equal(boundAddressOf(3, kernel), undefined);
});

test('a host whose kernel has no IPv6 has no table of it', () => {
  const line = '  0: 0100007F:2198 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 77 1 0\n';
  const kernel = {
    link: () => 'socket:[77]',
    table: (name: string) => {
      if (name === 'tcp') return line;
      throw new Error('ENOENT');
    },
  };
  assert.deepEqual(boundAddressOf(3, kernel), { host: '127.0.0.1', port: 8600 });
});
