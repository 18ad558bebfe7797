import http from 'node:http';
import https from 'node:https';
import { codeOf } from './finding.ts';

/** Who is to be asked: TCP, or a Unix socket. */
export type Asked =
  | { readonly host: string; readonly port: number; readonly isTls: boolean }
  | { readonly path: string };

/** What came of asking `GET /health`. */
export type Heard =
  | { readonly kind: 'brume'; readonly version: string }
  | { readonly kind: 'nobody' | 'not_permitted' | 'other' }
  | { readonly kind: 'silent'; readonly timeoutMs: number }
  | { readonly kind: 'fault'; readonly code: string };

const TIMEOUT_MS = 3000;
/** More than /health has is nobody's health. */
const ANSWER_BYTES_MAX = 4096;

/** Never rejects. Certificates are not judged: it is our own machine, and nothing secret is sent. */
export function ask(asked: Asked): Promise<Heard> {
  return new Promise((resolve) => {
    const request = open(asked);
    const end = (heard: Heard) => {
      clearTimeout(deadline);
      request.destroy();
      resolve(heard);
    };
    const deadline = setTimeout(() => end({ kind: 'silent', timeoutMs: TIMEOUT_MS }), TIMEOUT_MS);
    request.on('error', (error) => end(heardOf(codeOf(error))));
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('latin1');
      response.on('data', (part: string) => {
        body += part;
        if (body.length > ANSWER_BYTES_MAX) end({ kind: 'other' });
      });
      response.on('error', () => end({ kind: 'other' }));
      response.on('end', () => end(versionIn(body)));
    });
    request.end();
  });
}

function open(asked: Asked): http.ClientRequest {
  const common = { path: '/health', agent: false } as const;
  if ('path' in asked) return http.request({ ...common, socketPath: asked.path });
  const { host, port, isTls } = asked;
  const options = { ...common, host: reachable(host), port };
  return isTls ? https.request({ ...options, rejectUnauthorized: false }) : http.request(options);
}

/** Every address is no address to connect to; the loopback is one of them. */
export function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function heardOf(code: string): Heard {
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return { kind: 'nobody' };
  if (code === 'EACCES' || code === 'EPERM') return { kind: 'not_permitted' };
  // An answer that is no HTTP, or no TLS.
  if (/^(HPE_|ERR_|EPROTO|ECONNRESET)/.test(code)) return { kind: 'other' };
  return { kind: 'fault', code };
}

function versionIn(body: string): Heard {
  try {
    const { status, version }: { status?: unknown; version?: unknown } = JSON.parse(body);
    if (status === 'ok' && typeof version === 'string') return { kind: 'brume', version };
  } catch {
    // It is somebody else's page.
  }
  return { kind: 'other' };
}
