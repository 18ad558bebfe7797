import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { collectOutput, stopChild, waitUntil } from './child-process.ts';
import { freePort } from './free-port.ts';
import { isListening } from './is-listening.ts';

export interface NginxOptions {
  /** Directives of the http block. */
  readonly http?: string;
  /** Directives of the one server block, which listens on a free port of 127.0.0.1. */
  readonly server: string;
  /** Files beside nginx.conf, for `include`: name to text. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface NginxServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The error log so far. */
  log(): string;
  stop(): Promise<void>;
}

/** Starts a throw-away nginx: one process, nothing outside a temporary directory. */
export async function startNginx({ http = '', server, files = {} }: NginxOptions): Promise<NginxServer> {
  const directory = await mkdtemp(join(tmpdir(), 'brume-nginx-'));
  const port = await freePort();
  const all = { ...files, 'nginx.conf': nginxConf(directory, port, http, server) };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  const child = spawn(
    '/usr/sbin/nginx',
    ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const log = collectOutput(child);
  await waitUntil(child, log, () => isListening(port));
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    log,
    stop: async () => {
      await stopChild(child, 'SIGTERM');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function nginxConf(directory: string, port: number, http: string, server: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
master_process off;
pid ${directory}/nginx.pid;
error_log stderr info;
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary.map((kind) => `${kind}_temp_path ${directory}/${kind};`).join('\n  ')}
  ${http}
  server {
    listen 127.0.0.1:${port};
    ${server}
  }
}
`;
}
