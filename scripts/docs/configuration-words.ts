import { SECRET_FILE_VARIABLES } from '../../src/config/given-settings.ts';
import { VARIABLES } from '../../src/config/options.ts';

/** What docs/configuration.md and brume.conf(5) both say. */

/** The settings that are secrets. */
export const SECRETS = VARIABLES.filter((variable) => SECRET_FILE_VARIABLES.includes(`${variable}_FILE`));

export const PURPOSE =
  'Brume is configured by a file and by environment variables, which have the same names. Every setting has a default: Brume starts without any configuration, on its embedded stores.';

/** Of the file: one `KEY=value` a line. */
export const SYNTAX =
  'One `KEY=value` a line. Blanks around the key and the value are dropped. `#` begins a comment at the start of a line, or after a blank. A value may stand in single or double quotes; nothing is special within them, and nothing is expanded. A key may be there once only.';

export const SYNTAX_EXAMPLE: readonly string[] = [
  '# The data plane',
  'BRUME_LISTEN=127.0.0.1:8600   # for nginx on this machine',
  'BRUME_TRUSTED_PROXIES="127.0.0.0/8,::1/128"',
];

export const FAULTS =
  "Brume does not start with a setting that is wrong, unknown or empty. It lists every fault at once, with the variable's name and what would be right, and ends with exit code 78. Numbers are plain digits: `10s`, `1e3` and blanks are refused. Booleans are `true` or `false`.";
