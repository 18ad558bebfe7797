import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { BRUME_COMMAND, runBrume, type Settings, spawnBrume, startBrume } from '../support/brume-process.ts';
import { collectOutput, stopChild } from '../support/child-process.ts';
import { freePort } from '../support/free-port.ts';
import { call } from '../support/http-call.ts';
import { listening } from '../support/listening-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { selfSigned } from '../support/tls-identity.ts';
import { version } from './packages.ts';

const VERSION = { exitCode: 0, stdout: `brume ${version}\n`, stderr: '' };

describe('B63: nothing turns the executable into a bare Node.js', () => {
  it('PKG_EXECPATH runs no script', async () => {
    const settings = { PKG_EXECPATH: 'PKG_INVOKE_NODEJS' };
    const { exitCode, stdout } = await runBrume(settings, '-e', 'console.log(1+1)');
    assert.deepEqual({ exitCode, stdout }, { exitCode: 2, stdout: '' });
    assert.deepEqual(await runBrume(settings, 'version'), VERSION);
  });

  it('NODE_OPTIONS loads no module and opens no debugger port', async (t) => {
    const port = await freePort();
    const { module, wasLoaded } = telltaleModule(t);
    const options = `--inspect=127.0.0.1:${port} --require=${module}`;
    assert.deepEqual(await runBrume({ NODE_OPTIONS: options }, 'version'), VERSION);

    const brume = await startBrume({ NODE_OPTIONS: options });
    t.after(() => brume.stop());
    assert.equal(await isListening(port), false);
    assert.equal(wasLoaded(), false);
    assert.doesNotMatch(brume.log(), /Debugger/);
  });

  for (const argument of ['--inspect', '--inspect-brk', '--node-options=--inspect', '--eval=1', '-r']) {
    it(`${argument} is an option that Brume doesn't know`, async () => {
      const { exitCode, stdout, stderr } = await runBrume({}, argument);
      assert.deepEqual({ exitCode, stdout }, { exitCode: 2, stdout: '' });
      assert.match(stderr, /^brume: unknown option/);
    });
  }

  it('NODE_REPL_EXTERNAL_MODULE loads no module, nor does it stop the start', async (t) => {
    const { module, wasLoaded } = telltaleModule(t);
    assert.deepEqual(await runBrume({ NODE_REPL_EXTERNAL_MODULE: module }, 'version'), VERSION);
    assert.equal(wasLoaded(), false);
  });

  it('NODE_V8_COVERAGE, NODE_REDIRECT_WARNINGS and NODE_COMPILE_CACHE write no file, which they would read, too', async (t) => {
    const directory = temporaryDirectory(t);
    const brume = await startBrume({
      NODE_V8_COVERAGE: join(directory, 'coverage'),
      NODE_REDIRECT_WARNINGS: join(directory, 'warnings'),
      NODE_COMPILE_CACHE: join(directory, 'compiled'),
    });
    await brume.stop();
    assert.deepEqual(readdirSync(directory), []);
  });

  it('OPENSSL_CONF, OPENSSL_MODULES and NODE_ICU_DATA name nothing that is read', async () => {
    const nowhere = { OPENSSL_CONF: '/nowhere', OPENSSL_MODULES: '/nowhere', NODE_ICU_DATA: '/nowhere' };
    assert.deepEqual(await runBrume(nowhere, 'version'), VERSION);
  });

  it('NODE_DEBUG_NATIVE prints nothing', async () => {
    assert.deepEqual(await runBrume({ NODE_DEBUG_NATIVE: 'COMPILE_CACHE,SEA' }, 'version'), VERSION);
  });

  it('NODE_CHANNEL_FD makes it nobody’s child', async () => {
    // Node.js would stop at a number that is none, and talk on one that is.
    assert.deepEqual(await runBrume({ NODE_CHANNEL_FD: 'x' }, 'version'), VERSION);
    const talking = { NODE_CHANNEL_FD: '1', NODE_CHANNEL_SERIALIZATION_MODE: 'advanced' };
    assert.deepEqual(await runBrume(talking, 'version'), VERSION);
  });

  it('NODE_UNIQUE_ID makes it no worker of a cluster, which would not listen by itself', async (t) => {
    const brume = await startBrume({ NODE_UNIQUE_ID: '1' });
    t.after(() => brume.stop());
    assert.equal(listeningSockets(brume.pid).length, 2); // the data plane and the admin socket
  });

  it('NODE_DEBUG prints nothing', async () => {
    const brume = await startBrume({ NODE_DEBUG: 'net,http,module,worker,tls' });
    await brume.stop();
    for (const line of brume.log().trim().split('\n')) JSON.parse(line);
  });

  for (const name of ['-brume', '--version', '--eval=console.log(1)', '--v8-options', '--inspect', '-', '']) {
    it(`the name ${JSON.stringify(name)} (argv[0]) is no option`, () => {
      const [executable = ''] = BRUME_COMMAND;
      const { status, stdout, stderr } = spawnSync(executable, ['version'], {
        argv0: name,
        encoding: 'utf8',
      });
      assert.deepEqual({ exitCode: status, stdout, stderr }, VERSION);
    });
  }

  const TRUSTING: Readonly<Record<string, (certPath: string) => Settings>> = {
    NODE_EXTRA_CA_CERTS: (certPath) => ({ NODE_EXTRA_CA_CERTS: certPath }),
    'NODE_USE_SYSTEM_CA with SSL_CERT_FILE': (certPath) => ({
      NODE_USE_SYSTEM_CA: '1',
      SSL_CERT_FILE: certPath,
    }),
    NODE_TLS_REJECT_UNAUTHORIZED: () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
  };
  for (const [variable, environment] of Object.entries(TRUSTING)) {
    it(`${variable} makes it trust no certificate`, async (t) => {
      const { cert, key, certPath } = selfSigned(t);
      let requests = 0;
      const server = createTlsServer({ cert, key }, (_request, response) => {
        requests++;
        response.end('{}');
      });
      let brokenHandshakes = 0;
      server.on('tlsClientError', () => brokenHandshakes++);
      const port = await listening(t, server);
      const settings = { ...environment(certPath), BRUME_TOKEN: 'brume_mt_0' };
      const { exitCode, stderr } = await runBrume(settings, 'status', '--url', `https://localhost:${port}`);
      const seen = { exitCode, brokenHandshakes, requests };
      assert.deepEqual(seen, { exitCode: 1, brokenHandshakes: 1, requests: 0 }, stderr);
      assert.doesNotMatch(stderr, /Warning/);
    });
  }

  it('USR1 opens no debugger port while it serves', async (t) => {
    const brume = await startBrume();
    t.after(() => brume.stop());
    const before = listeningSockets(brume.pid);
    assert.equal(before.length, 2); // the data plane and the admin socket
    process.kill(brume.pid, 'SIGUSR1');
    // Node.js would open it in a thread of its own, within a fraction of this.
    for (let turn = 0; turn < 50; turn++) assert.equal((await call(`${brume.url}/health`)).status, 200);
    assert.deepEqual(listeningSockets(brume.pid), before);
    assert.doesNotMatch(brume.log(), /Debugger/);
  });

  it('USR1 does nothing to any other command', async (t) => {
    const server = createHttpServer();
    const asked = once(server, 'request');
    const url = `http://127.0.0.1:${await listening(t, server)}`;
    const command = spawnBrume({ BRUME_TOKEN: 'brume_mt_0' }, 'status', '--url', url);
    t.after(() => stopChild(command, 'SIGKILL'));
    const output = collectOutput(command);
    const [, response] = await asked;
    command.kill('SIGUSR1');
    assert.deepEqual(listeningSockets(command.pid ?? 0), []);
    response.writeHead(503, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ status: 503, code: 'draining', title: 'going' }));
    assert.deepEqual(await once(command, 'close'), [1, null]);
    assert.doesNotMatch(output(), /Debugger/);
  });
});

/** A module that leaves a file where it is loaded. */
function telltaleModule(t: TestContext): { module: string; wasLoaded: () => boolean } {
  const directory = temporaryDirectory(t);
  const [module, trace] = [join(directory, 'telltale.cjs'), join(directory, 'trace')];
  writeFileSync(module, `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '');\n`);
  return { module, wasLoaded: () => existsSync(trace) };
}

async function isListening(port: number): Promise<boolean> {
  try {
    await call(`http://127.0.0.1:${port}/json/version`);
    return true;
  } catch {
    return false;
  }
}

/** The inodes of the sockets on which a process listens. */
function listeningSockets(pid: number): string[] {
  const LISTENING = /^\s*\d+: \S+ \S+ 0A (?:\S+\s+){5}(\d+)/;
  const tcp = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8')
      .split('\n')
      .map((line) => LISTENING.exec(line)?.[1]),
  );
  // Flags 00010000: it takes connections.
  const unix = readFileSync(`/proc/${pid}/net/unix`, 'utf8')
    .split('\n')
    .map((line) => / 00010000 \S+ \S+\s+(\d+)/.exec(line)?.[1]);
  const inodes = new Set([...tcp, ...unix]);
  return readdirSync(`/proc/${pid}/fd`)
    .map((descriptor) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${descriptor}`))?.[1])
    .filter((inode) => inode !== undefined && inodes.has(inode))
    .map(String)
    .sort();
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed meanwhile
  }
}
