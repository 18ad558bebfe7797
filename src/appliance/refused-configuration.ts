import type { ConfigError } from '../config/config-error.ts';
import { createLogger } from '../telemetry/log.ts';

/** Why Brume did not start stands in its log too, where whoever looks after it looks. Never a secret's value. */
export function logRefusedConfiguration({ faults }: ConfigError): void {
  const log = createLogger({ level: 'info', showIdentifiers: false });
  for (const { variable, where, problem, remedy } of faults) {
    log.error({ variable, where, problem, remedy }, 'a setting is not valid: Brume does not start');
  }
}
