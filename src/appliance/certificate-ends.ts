import { readFileSync } from 'node:fs';
import { certificatesIn } from '../config/certificates.ts';
import type { Config } from '../config/config.ts';

type CertificateConfig = Pick<Config, 'managementTlsCert' | 'redisTlsCert' | 'redisTlsCa'>;

/**
 * When the certificates that the configuration names end, of a chain the first to do so: the setting and
 * epoch seconds. Of those that can't be read nothing: whoever needs them says what is the matter.
 */
export function certificateEnds(config: CertificateConfig): readonly (readonly [string, number])[] {
  const paths = [
    ['BRUME_MANAGEMENT_TLS_CERT', config.managementTlsCert],
    ['BRUME_REDIS_TLS_CERT', config.redisTlsCert],
    ['BRUME_REDIS_TLS_CA', config.redisTlsCa],
  ] as const;
  return paths.flatMap(([setting, path]) => {
    const endSeconds = path === null ? undefined : firstEnd(path);
    return endSeconds === undefined ? [] : [[setting, endSeconds] as const];
  });
}

function firstEnd(path: string): number | undefined {
  try {
    const ends = certificatesIn(readFileSync(path, 'utf8')).map(({ validTo }) => Date.parse(validTo) / 1000);
    return ends.length === 0 ? undefined : Math.min(...ends);
  } catch {
    return undefined;
  }
}
