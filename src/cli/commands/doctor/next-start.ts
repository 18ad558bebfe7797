import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type ConfigFault } from '../../../config/config-error.ts';
import { loadConfig } from '../../../config/load-config.ts';
import type { ServiceSettings } from '../../../config/service-settings.ts';
import { type Finding, tellerOf } from '../../../operations/doctor/finding.ts';
import type { ProcessFacts } from '../../../operations/doctor/process-facts.ts';

const tell = tellerOf('configuration');

/**
 * Why the service could not be started, or reloaded, while what serves goes on with what it was given at its own
 * start. `file` is the configuration file.
 */
export function nextStartFindings(
  file: string,
  { service, serving }: { readonly service: ServiceSettings; readonly serving: ProcessFacts['environment'] },
): Finding[] {
  const { faults, sealed, credentials } = service;
  const hidden = faults.filter(({ problem }) => problem.includes('may not look'));
  if (hidden.length > 0)
    return hidden.map(({ where }) =>
      tell.unseen(`${where}: whether the next start would be given what it needs.`, 'Run this as root.'),
    );
  // Only systemd can open them: as what serves was given them.
  const opened = [...sealed.keys()]
    .map((name) => [name, join(serving?.CREDENTIALS_DIRECTORY ?? '', name)] as const)
    .filter(([, path]) => existsSync(path));
  const next = { ...service, sealed: new Map(), credentials: new Map([...opened, ...credentials]) };
  try {
    loadConfig({ env: {}, defaultFile: file, service: next });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(nextStartFinding);
  }
}

function nextStartFinding({ variable, where, problem, remedy }: ConfigFault): Finding {
  const what = variable === null ? where : `${variable} (${where})`;
  const text = `The next start would fail: ${what}: ${problem}.`;
  return problem.includes('EACCES')
    ? tell.unseen(text, 'Run this as root.')
    : tell.failure(text, `${remedy}.`);
}
