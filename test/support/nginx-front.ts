import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NginxServer, startNginx } from './nginx-server.ts';

export interface FrontOptions {
  /** Port of Brume's data plane. */
  readonly brumePort: number;
  readonly key: string;
  /** Directives of the server block after the shipped ones: the locations. */
  readonly locations: string;
  /** Changes to the shipped brume.conf, as an operator would make them. */
  readonly edit?: (snippet: string) => string;
  /**
   * Brume may take 10 s instead of the shipped 0.5 s, so that a slow machine never fails open.
   * Without it brume.conf is taken byte for byte. Default true.
   */
  readonly patient?: boolean;
}

const packaging = join(import.meta.dirname, '../../packaging/nginx');

/** An nginx in front of Brume that includes the files which Brume ships. */
export function startFront(options: FrontOptions): Promise<NginxServer> {
  const { brumePort, key, locations, edit = (text) => text, patient = true } = options;
  const shipped = edit(read('brume.conf'));
  return startNginx({
    http: 'client_max_body_size 20m; include brume-upstream.conf;',
    server: `include brume.conf;\n${locations}`,
    files: {
      'brume.conf': patient ? swap(shipped, /_timeout [15]00ms;/g, '_timeout 10s;') : shipped,
      'brume-upstream.conf': swap(read('brume-upstream.conf'), '127.0.0.1:8600', `127.0.0.1:${brumePort}`),
      'brume-key.conf': `map "" $brume_key { default "${key}"; }\n`,
    },
  });
}

/** As replaceAll, but fails if there is nothing to replace: the shipped file has changed. */
export function swap(text: string, from: string | RegExp, to: string): string {
  const isThere = typeof from === 'string' ? text.includes(from) : text.search(from) >= 0;
  if (!isThere) throw new Error(`not in the shipped file: ${from}`);
  return text.replaceAll(from, to);
}

function read(name: string): string {
  return readFileSync(join(packaging, name), 'utf8');
}
