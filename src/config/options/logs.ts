import { accessLog } from '../kinds/access-log.ts';
import { boolean, choice } from '../kinds/choice.ts';
import type { Options } from '../option.ts';

export const LOGS = {
  BRUME_LOG_LEVEL: {
    description: 'The least important lines that are logged.',
    kind: choice(['error', 'warn', 'info', 'debug']),
    default: 'info',
    example: 'info',
  },
  BRUME_ACCESS_LOG: {
    description: 'Which requests are logged: none, those that were denied, one in N, or all.',
    kind: accessLog(),
    default: 'sample:100',
    example: 'denied',
  },
  BRUME_LOG_IDENTIFIERS: {
    description: 'Whether logs show identifiers: users and addresses, which may be personal data.',
    kind: boolean(),
    default: 'false',
    example: 'false',
  },
} as const satisfies Options;
