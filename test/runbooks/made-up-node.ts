import type { CheckName, Finding } from '../../src/operations/doctor/finding.ts';
import {
  UNKNOWN_UNITS,
  type UnitState,
  type UnitStates,
} from '../../src/operations/installed/unit-states.ts';
import type { Facts } from '../../src/operations/runbook/evaluate.ts';
import { readingsIn } from '../../src/operations/runbook/series.ts';

const WATCH_S = 5;
export const NOW_S = 1_800_000_000;

const COMMON = `
brume_event_loop_active_seconds_total +0.2
brume_event_loop_delay_seconds_bucket{le="0.01"} +10
brume_event_loop_delay_seconds_bucket{le="0.025"} +10
brume_event_loop_delay_seconds_bucket{le="0.1"} +10
brume_event_loop_delay_seconds_count +10
brume_connections_open{listener="data"} 100
brume_connections_open{listener="admin-socket"} 1
brume_connections_max 10000
brume_requests_in_flight{listener="data"} 1
brume_requests_total{plane="data",route="/v1/limit",status="2xx"} +100
brume_requests_total{plane="data",route="/v1/limit",status="5xx"} 3
brume_requests_total{plane="data",route="/ready",status="2xx"} +900
brume_requests_total{plane="data",route="/ready",status="5xx"} +9
brume_requests_total{plane="management",route="/v1/projects",status="2xx"} 7
brume_requests_total{plane="admin",route="/metrics",status="2xx"} 7
brume_request_duration_seconds_bucket{plane="data",route="/v1/limit",le="0.01"} +100
brume_request_duration_seconds_count{plane="data",route="/v1/limit"} +100
brume_request_duration_seconds_bucket{plane="data",route="/ready",le="0.01"} +900
brume_request_duration_seconds_count{plane="data",route="/ready"} +900
brume_verdicts_total{project="p",namespace="api",decision="allowed",reason="none"} +90
brume_verdicts_total{project="p",namespace="api",decision="denied",reason="limit"} +5
brume_throttled_requests_total{by="address"} 1
brume_throttled_requests_total{by="actor"} 0
brume_throttled_requests_total{by="budget"} 0
brume_log_lines_lost_total 0
brume_local_merged_total 0
brume_counters_lost_total 0
brume_quotas_restored_total 0
brume_quota_checkpoints_pending 3
brume_quota_checkpoint_failures_total 0
brume_usage_pending 20
brume_usage_written_total +1
brume_usage_write_failures_total 0
brume_usage_dropped_verdicts_total 0
brume_snapshot_stale 0
brume_snapshot_age_seconds 0.4
brume_snapshot_refresh_failures_total 0
brume_snapshot_whole_loads_total 1
brume_sql_read_only 0
brume_key_lookups_total +1
brume_key_lookups_waiting 0
brume_key_lookup_failures_total 0
brume_nodes_counting_elsewhere 0
brume_predecessor_draining_seconds 0
brume_process_open_fds 200
brume_process_max_fds 65536
brume_process_heap_bytes{state="used"} 100000000
brume_process_heap_bytes{state="total"} 150000000
brume_process_resident_memory_bytes 200000000
brume_process_start_time_seconds ${NOW_S - 86_400}
brume_state_dir_free_bytes 4294967296
`;

const REDIS = `
brume_redis_connected 1
brume_redis_may_evict 0
brume_redis_evicted_keys_total 0
brume_redis_servers_changed_total 0
brume_redis_clock_steps_total 0
brume_store_duration_seconds_bucket{store="redis",le="0.01"} +100
brume_store_duration_seconds_bucket{store="redis",le="0.025"} +100
brume_store_duration_seconds_count{store="redis"} +100
`;

const POSTGRESQL = `
brume_change_listener_connected 1
brume_started_from_snapshot_file 0
brume_snapshot_file_age_seconds 20
brume_snapshot_file_failures_total 0
brume_sql_waiting 0
`;

const EMBEDDED = `
brume_embedded_identifiers 5000
brume_embedded_identifiers_max 1000000
brume_embedded_refusals_total 0
brume_embedded_flush_lag_seconds 0.3
brume_embedded_flush_failures_total 0
brume_embedded_clock_steps_total 0
`;

const BASES: Readonly<Record<string, string>> = {
  clustered: COMMON + REDIS + POSTGRESQL,
  sentinels: `${COMMON + REDIS + POSTGRESQL}brume_redis_sentinels_reachable 3\n`,
  cluster: `${COMMON + REDIS + POSTGRESQL}brume_redis_cluster_shards 3\nbrume_redis_cluster_shards_away 0\n`,
  'redis alone': COMMON + REDIS,
  embedded: COMMON + EMBEDDED,
};
/** Of these a node without faults has the head alone. */
const HEADS = 'brume_redis_faults_total brume_degraded_verdicts_total brume_redis_cluster_redirections_total';

/** A finding of `brume doctor`. */
function finding(check: CheckName, state: Finding['state']): Finding {
  return { check, state, text: 'Words.', remedy: null };
}

/**
 * What is known of a node that nobody has started. Healthy, and counting in Redis with PostgreSQL, but for what is
 * said, parted by semicolons:
 *
 *     embedded               another node to begin with: one of BASES
 *     brume_redis_connected 0    so much
 *     brume_x{kind="a"} +20  so much in a second, while it is watched
 *     no brume_x             not there
 *     doctor disk failure
 *     answers no
 *     answers silent
 *     unit process active    as systemd says of it
 */
export function madeUpFacts(said: string): Facts {
  const words = said.split(/; */).filter((each) => each !== '');
  const base = words.find((each) => each in BASES) ?? 'clustered';
  const lines = new Map((BASES[base] ?? '').trim().split('\n').map(seriesAndValue));
  const findings: Finding[] = [];
  let [answers, isSilent] = [true, false];
  let units: UnitStates = UNKNOWN_UNITS;
  for (const each of words) {
    const [, check, state] = /^doctor (\S+) (\S+)$/.exec(each) ?? [];
    const [, unit, unitState] = /^unit (\S+) (\S+)$/.exec(each) ?? [];
    if (each === 'answers no') answers = false;
    else if (each === 'answers silent') [answers, isSilent] = [false, true];
    else if (unit !== undefined) units = { ...units, [unit]: unitState as UnitState };
    else if (check !== undefined) findings.push(finding(check as CheckName, state as Finding['state']));
    else if (each.startsWith('no ')) {
      for (const series of lines.keys())
        if (series.startsWith(each.slice('no '.length))) lines.delete(series);
    } else if (!(each in BASES)) lines.set(...seriesAndValue(each));
  }
  const at = (watchedS: number) => readingsIn(answers ? textOf(lines, watchedS) : '');
  return {
    answers,
    isSilent,
    units,
    before: at(0),
    now: at(WATCH_S),
    betweenMs: WATCH_S * 1000,
    nowMs: NOW_S * 1000,
    findings,
  };
}

function seriesAndValue(line: string): [series: string, value: string] {
  const at = line.lastIndexOf(' ');
  return [line.slice(0, at), line.slice(at + 1)];
}

function textOf(lines: ReadonlyMap<string, string>, watchedS: number): string {
  const heads = HEADS.split(' ').map((name) => `# TYPE ${name} counter`);
  const told = [...lines].map(([series, value]) =>
    value.startsWith('+') ? `${series} ${1000 + Number(value) * watchedS}` : `${series} ${value}`,
  );
  return [...heads, ...told].join('\n');
}
