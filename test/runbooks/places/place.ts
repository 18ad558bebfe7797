/** Where one is, and on which node (see `madeUpFacts`). */
export type Place = readonly [title: string, node: string];

export const OVER = 'It is over';
export const BUSY_LOOP = 'brume_event_loop_active_seconds_total +0.97';
export const LATE_LOOP = ['0.01', '0.025', '0.1']
  .map((le) => `brume_event_loop_delay_seconds_bucket{le="${le}"} +9`)
  .join('; ');
export const SLOW_REDIS = ['0.01', '0.025']
  .map((le) => `brume_store_duration_seconds_bucket{store="redis",le="${le}"} +90`)
  .join('; ');
export const REDIS_AWAY = 'brume_redis_connected 0';
export const STALE = 'brume_snapshot_stale 1';
export const READ_ONLY = 'brume_sql_read_only 1';
export const NO_ROOM = 'brume_state_dir_free_bytes 1048576';
export const fault = (kind: string): string => `brume_redis_faults_total{kind="${kind}"} +3`;
