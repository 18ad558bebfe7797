import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type ListenOptions, type Server } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { bind, listenTcp, listenUnix } from '../../src/appliance/listen.ts';
import { StartError } from '../../src/appliance/start-error.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { recordedLog } from './fakes.ts';

function server(t: TestContext): Server {
  const made = createServer((socket) => socket.on('error', () => undefined).end('here'));
  t.after(() => made.close());
  return made;
}

async function answers(where: { host: string; port: number } | { path: string }): Promise<string> {
  const socket = connect(where);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

for (const code of ['EAFNOSUPPORT', 'EADDRNOTAVAIL']) {
  test(`B52: [::] on a host without IPv6 (${code}) listens on 0.0.0.0 with one info line`, async (t) => {
    const { log, lines } = recordedLog();
    const tried: (string | undefined)[] = [];
    const withoutIpv6 = async (target: Server, options: ListenOptions) => {
      tried.push(options.host);
      if (options.host === '::') throw systemError(code);
      await bind(target, { ...options, host: '127.0.0.1' });
    };
    const listener = server(t);
    await listenTcp(listener, { host: '::', port: 0 }, { variable: 'BRUME_LISTEN', log, bind: withoutIpv6 });
    assert.deepEqual(tried, ['::', '0.0.0.0']);
    assert.equal(
      await answers({ host: '127.0.0.1', port: (listener.address() as AddressInfo).port }),
      'here',
    );
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['info'],
    );
    assert.match(lines[0]?.msg ?? '', /BRUME_LISTEN.*no IPv6.*0\.0\.0\.0/);
  });
}

test('B52: [::] on a dual-stack host answers both families', async (t) => {
  const { log } = recordedLog();
  const listener = server(t);
  await listenTcp(listener, { host: '::', port: 0 }, { variable: 'BRUME_LISTEN', log });
  const { port } = listener.address() as AddressInfo;
  assert.equal(await answers({ host: '127.0.0.1', port }), 'here');
  assert.equal(await answers({ host: '::1', port }), 'here');
});

/** The loopback device is up, and a listener on [::] takes IPv6 alone unless it says otherwise. */
const BINDV6ONLY = `
  perl -e 'socket(my $s, 2, 2, 0) or die; my $up = pack("a16s", "lo", 1); ioctl($s, 0x8914, $up) or die' &&
  echo 1 >/proc/sys/net/ipv6/bindv6only &&`;

test('B52: [::] answers both families also where the kernel says bindv6only=1', () => {
  const listen = `exec ${process.execPath} ${join(import.meta.dirname, 'dual-stack-answers.ts')}`;
  const isolated = ['--net', 'sh', '-c', `${BINDV6ONLY} echo prepared >&2 && ${listen}`];
  const inNamespace = spawnSync('unshare', isolated, { encoding: 'utf8' });
  // Where no network of one's own can be had, the host's own setting is what is tried.
  const isPrepared = inNamespace.stderr?.includes('prepared') === true;
  const { stdout, stderr } = isPrepared ? inNamespace : spawnSync('sh', ['-c', listen], { encoding: 'utf8' });
  assert.notEqual(stdout, '', stderr);
  const { bindv6only, ipv4, ipv6 } = JSON.parse(stdout);
  assert.deepEqual([ipv4, ipv6], ['here', 'here']);
  if (isPrepared) assert.equal(bindv6only, '1');
});

test('an address that this host does not have is refused, not replaced', async (t) => {
  const { log } = recordedLog();
  await assert.rejects(
    listenTcp(server(t), { host: '192.0.2.1', port: 0 }, { variable: 'BRUME_LISTEN', log }),
    (error) => error instanceof StartError && /BRUME_LISTEN.*192\.0\.2\.1/.test(error.message),
  );
});

test('a port in use is refused with the variable and the address', async (t) => {
  const { log } = recordedLog();
  const first = server(t);
  await listenTcp(first, { host: '127.0.0.1', port: 0 }, { variable: 'BRUME_LISTEN', log });
  const { port } = first.address() as AddressInfo;
  await assert.rejects(
    listenTcp(server(t), { host: '127.0.0.1', port }, { variable: 'BRUME_LISTEN', log }),
    (error) =>
      error instanceof StartError &&
      error.message === `BRUME_LISTEN: 127.0.0.1:${port} is in use by another process`,
  );
});

test('a Unix socket has mode 0660 whatever the umask', async (t) => {
  const { log } = recordedLog();
  const path = join(temporaryDirectory(t), 'admin.sock');
  const before = process.umask(0);
  t.after(() => process.umask(before));
  await listenUnix(server(t), { path, group: 'brume-test-none' }, { variable: 'BRUME_ADMIN_SOCKET', log });
  assert.equal(statSync(path).mode & 0o7777, 0o660);
  assert.equal(process.umask(), 0, 'the umask of the process is as before');
  assert.equal(await answers({ path }), 'here');
});

test('a socket file that nobody listens on is replaced', async (t) => {
  const { log } = recordedLog();
  const path = join(temporaryDirectory(t), 'admin.sock');
  await leaveStaleSocket(path);
  assert.ok(existsSync(path));
  await listenUnix(server(t), { path, group: 'brume-test-none' }, { variable: 'BRUME_ADMIN_SOCKET', log });
  assert.equal(await answers({ path }), 'here');
});

test('a socket that somebody listens on is left alone, and the start refused', async (t) => {
  const { log } = recordedLog();
  const path = join(temporaryDirectory(t), 'admin.sock');
  await bind(server(t), { path });
  await assert.rejects(
    listenUnix(server(t), { path, group: 'brume-test-none' }, { variable: 'BRUME_ADMIN_SOCKET', log }),
    (error) =>
      error instanceof StartError &&
      /BRUME_ADMIN_SOCKET: another process listens on .*admin\.sock/.test(error.message),
  );
  assert.equal(await answers({ path }), 'here');
});

test('a file that is not a socket is never removed', async (t) => {
  const { log } = recordedLog();
  const path = join(temporaryDirectory(t), 'precious');
  writeFileSync(path, 'data');
  await assert.rejects(
    listenUnix(server(t), { path, group: 'brume-test-none' }, { variable: 'BRUME_SOCKET', log }),
    /BRUME_SOCKET: .*precious exists and is not a socket/,
  );
  assert.ok(existsSync(path));
});

test('a missing directory is named', async (t) => {
  const { log } = recordedLog();
  const path = join(temporaryDirectory(t), 'absent', 'admin.sock');
  await assert.rejects(
    listenUnix(server(t), { path, group: 'brume-test-none' }, { variable: 'BRUME_ADMIN_SOCKET', log }),
    /BRUME_ADMIN_SOCKET: there is no directory .*absent/,
  );
});

/** What a killed process leaves: a bound socket file without a listener. */
async function leaveStaleSocket(path: string): Promise<void> {
  const { spawnSync } = await import('node:child_process');
  const script =
    'require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))';
  spawnSync(process.execPath, ['-e', script, path]);
}
