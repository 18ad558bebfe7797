export type { Logger as Log } from '../telemetry/log.ts';
