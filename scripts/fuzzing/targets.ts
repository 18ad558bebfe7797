import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrume } from '../../test/support/brume-process.ts';
import { freePort } from '../../test/support/free-port.ts';

/** A plane to be fuzzed. */
export interface Target {
  readonly name: string;
  readonly url: string;
  /** The file with its OpenAPI document. */
  readonly document: string;
  /** `NAME:VALUE`, sent with every request. */
  readonly header: string;
  /** Names and ids that no request may delete or rename. */
  readonly kept: readonly string[];
  /** The status of a call that the header must open, before as after. */
  probe(): Promise<number>;
}

/** What scripts/fuzzing/steer.py knows by name. */
const NAMESPACES: Readonly<Record<string, readonly string[]>> = {
  wide: ['--limit', '1000000', '--window', '1h'],
  narrow: ['--limit', '5', '--window', '1m', '--algorithm', 'gcra'],
  log: ['--limit', '20', '--window', '1s', '--algorithm', 'sliding_log'],
  bucket: ['--limit', '10', '--window', '1s', '--algorithm', 'leaky_bucket', '--quota', '20000/month'],
  slots: ['--limit', '3', '--algorithm', 'concurrency', '--ttl', '30s'],
  addresses: ['--limit', '10', '--window', '60s', '--kind', 'ip'],
};

/** Starts a Brume with something in it, and gives its planes, with their documents in `directory`. */
export async function startTargets(directory: string) {
  const management = `127.0.0.1:${await freePort()}`;
  const brume = await startBrume({
    BRUME_MANAGEMENT_LISTEN: management,
    BRUME_ADDRESS_RATE: 'off',
    BRUME_ACCESS_LOG: 'off',
  });
  try {
    const project = (await brume.json('project', 'create', 'shop')) as { id: string };
    for (const [name, rule] of Object.entries(NAMESPACES)) {
      await brume.json('namespace', 'create', 'shop', name, ...rule);
    }
    const scopes = ['limit', 'peek', 'lease', 'reset'].flatMap((scope) => ['--scope', scope]);
    const { key } = (await brume.json('key', 'create', 'shop', 'fuzzer', ...scopes)) as { key: string };
    const made = ['token', 'create', 'default', 'fuzzer', '--role', 'owner', '--expires-in', '1d'];
    const { id: tokenId, token } = (await brume.json(...made)) as { id: string; token: string };
    const kept = ['shop', project.id, 'default', 'org_default', tokenId];

    const url = `http://${management}`;
    const save = async (path: string): Promise<string> => {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
      if (!answer.ok) throw new Error(`${url}${path} answered ${answer.status}`);
      const file = join(directory, path);
      writeFileSync(file, readable(await answer.text()));
      return file;
    };
    const targets: readonly Target[] = [
      {
        name: 'data plane',
        url: brume.url,
        document: await save('/openapi-data.json'),
        kept,
        header: `X-API-Key: ${key}`,
        probe: () =>
          statusOf(`${brume.url}/v1/peek`, {
            method: 'POST',
            headers: { 'x-api-key': key, 'content-type': 'application/json' },
            body: JSON.stringify({ namespace: 'wide', identifier: 'probe' }),
          }),
      },
      {
        name: 'management plane',
        url,
        document: await save('/openapi.json'),
        kept,
        header: `Authorization: Bearer ${token}`,
        probe: () =>
          statusOf(`${url}/v1/projects/shop/namespaces`, { headers: { authorization: `Bearer ${token}` } }),
      },
    ];
    return { targets, log: brume.log, stop: () => brume.stop() };
  } catch (error) {
    await brume.stop();
    throw error;
  }
}

async function statusOf(url: string, request: RequestInit): Promise<number> {
  return (await fetch(url, request)).status;
}

/**
 * The document with its Unicode classes spelled out: schemathesis can't make strings from them. It makes
 * no lone surrogates (Cs) anyway, since they can't be sent.
 */
function readable(document: string): string {
  return document.replaceAll('\\\\p{Cc}', '\\\\x00-\\\\x1f\\\\x7f-\\\\x9f').replaceAll('\\\\p{Cs}', '');
}
