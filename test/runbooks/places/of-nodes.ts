import { NOW_S } from '../made-up-node.ts';
import {
  BUSY_LOOP,
  fault,
  LATE_LOOP,
  NO_ROOM,
  OVER,
  type Place,
  READ_ONLY,
  REDIS_AWAY,
  SLOW_REDIS,
  STALE,
} from './place.ts';

const DAY_S = 86_400;
const CERTIFICATE = 'brume_certificate_end_timestamp_seconds{setting="BRUME_REDIS_TLS_CA"}';
const DENIED = 'brume_verdicts_total{project="p",namespace="api",decision="denied",reason="limit"}';
const BLOCKED = 'brume_verdicts_total{project="p",namespace="api",decision="denied",reason="blocked"}';
const CLOSED =
  'brume_verdicts_total{project="p",namespace="api",decision="denied",reason="store_unavailable"}';
const ALLOWED = 'brume_verdicts_total{project="p",namespace="api",decision="allowed",reason="none"}';
const ERRORS = 'brume_requests_total{plane="data",route="/v1/limit",status="5xx"}';
const MANAGEMENT = 'brume_requests_total{plane="management",route="/v1/projects",status="2xx"}';
const SLOW_VERDICTS = 'brume_request_duration_seconds_bucket{plane="data",route="/v1/limit",le="0.01"} +90';

/** Of each other runbook with a diagnosis, likewise. */
export const NODE_PLACES: Readonly<Record<string, readonly Place[]>> = {
  'callers-throttled': [
    [OVER, ''],
    ['A project has used up its day', 'brume_throttled_requests_total{by="budget"} +5'],
    ['A key calls too often', 'brume_throttled_requests_total{by="actor"} +5'],
    ['An address calls without a valid key', 'brume_throttled_requests_total{by="address"} +5'],
  ],
  'certificate-ends': [
    [OVER, `${CERTIFICATE} ${NOW_S + 60 * DAY_S}`],
    ['It has ended, or is not that of its key', `${CERTIFICATE} ${NOW_S - 60}; doctor certificates failure`],
    ['It has to be renewed', `${CERTIFICATE} ${NOW_S + 5 * DAY_S}; doctor certificates warning`],
  ],
  'connections-near-max': [
    [OVER, ''],
    [
      'Answers are slow',
      'brume_connections_open{listener="data"} 9500; brume_requests_in_flight{listener="data"} 9000',
    ],
    [
      'Open files are used up too',
      'brume_connections_open{listener="data"} 9500; doctor descriptors failure',
    ],
    ['Most of them are idle', 'brume_connections_open{listener="data"} 9500'],
  ],
  'cpu-full': [
    [OVER, ''],
    ['Most of it is turned away', `${BUSY_LOOP}; brume_throttled_requests_total{by="address"} +900`],
    ['It is a flood', `${BUSY_LOOP}; ${DENIED} +900`],
    ['It is management', `${BUSY_LOOP}; ${MANAGEMENT} +80`],
    ['It writes too much log', `${BUSY_LOOP}; brume_log_lines_lost_total +4`],
    ['There is more to do', BUSY_LOOP],
  ],
  'disk-nearly-full': [
    [OVER, ''],
    ['Counts are not saved', `embedded; ${NO_ROOM}; brume_embedded_flush_lag_seconds 30`],
    ['Changes are refused', `embedded; ${NO_ROOM}; ${READ_ONLY}`],
    ['The copy of the configuration is not written', `${NO_ROOM}; brume_snapshot_file_age_seconds 900`],
    ['It is full', `${NO_ROOM}; doctor disk failure`],
    ['It fills up', 'brume_state_dir_free_bytes 100000000; doctor disk warning'],
  ],
  'drain-stuck': [
    [OVER, ''],
    [OVER, 'brume_predecessor_draining_seconds 20'],
    ['Its disk is full', 'embedded; brume_predecessor_draining_seconds 700; doctor disk failure'],
    ['It waits for the configuration store', `brume_predecessor_draining_seconds 700; ${STALE}`],
    ['It is still at work, or can not be ended', 'brume_predecessor_draining_seconds 700'],
  ],
  errors: [
    [OVER, ''],
    [OVER, `${ERRORS} +0.4`],
    ['Keys can not be looked up', `${ERRORS} +5; brume_key_lookup_failures_total +5`],
    ['The configuration store is away', `${ERRORS} +5; ${STALE}`],
    ['Redis is away', `${ERRORS} +5; ${REDIS_AWAY}`],
    ['Namespaces fail closed', `${ERRORS} +5; ${CLOSED} +5`],
    ['See the log', `${ERRORS} +5`],
  ],
  'event-loop-blocked': [
    [OVER, ''],
    ['It has too much to do', `${LATE_LOOP}; ${BUSY_LOOP}`],
    [
      'Its memory is nearly full',
      `${LATE_LOOP}; brume_process_heap_bytes{state="used"} 1900000000; brume_process_heap_bytes{state="total"} 2000000000`,
    ],
    ['It reads the whole configuration', `${LATE_LOOP}; brume_snapshot_whole_loads_total +1`],
    ['Something else has the CPU', LATE_LOOP],
  ],
  'file-descriptors-near-max': [
    [OVER, ''],
    ['They are connections', 'brume_process_open_fds 60000; brume_connections_open{listener="data"} 59000'],
    ['They are something else', 'brume_process_open_fds 60000'],
  ],
  flood: [
    [OVER, `${DENIED} +1`],
    [OVER, `${DENIED} +70`],
    ['They have no valid key', 'brume_throttled_requests_total{by="address"} +90'],
    ['It is no flood: the counters are away', `${CLOSED} +900`],
    ['They are blocked already', `${BLOCKED} +900`],
    ['See from whom', `${DENIED} +900`],
    // In a namespace of few, beside one of many.
    ['See from whom', `${DENIED.replace('api', 'login')} +80; ${ALLOWED} +900`],
  ],
  'log-lines-lost': [
    [OVER, ''],
    ['The disk is full', 'brume_log_lines_lost_total +9; doctor disk failure'],
    ['Nobody reads it', 'brume_log_lines_lost_total +9'],
  ],
  'node-down': [
    ['The configuration is not valid', 'answers no; doctor configuration failure'],
    ['The configuration is not valid', 'answers silent; unit process changing; doctor configuration failure'],
    ['It hangs', 'answers silent; unit process active; doctor listeners failure'],
    ['It hangs', 'answers silent; doctor listeners failure'],
    [
      'No process takes what the sockets hold',
      'answers silent; unit service active; unit process inactive; doctor listeners failure',
    ],
    [
      'A store keeps it from starting',
      'answers silent; unit service changing; unit process inactive; doctor listeners failure; doctor stores failure',
    ],
    ['It is started again and again', 'answers silent; unit process changing; doctor listeners failure'],
    [
      'It is started again and again',
      'answers silent; unit service changing; unit process inactive; doctor listeners failure',
    ],
    ['It can not have its address', 'answers no; doctor listeners failure'],
    ['It can not have its address', 'answers no; doctor listeners failure; doctor stores failure'],
    [
      'It can not have its address',
      'answers silent; unit service inactive; unit process inactive; doctor listeners failure',
    ],
    ['The schema is too new', 'answers no; doctor schema failure'],
    ['A store keeps it from starting', 'answers no; doctor stores failure'],
    ['It has no connections left', 'brume_connections_open{listener="management"} 9900'],
    ['It runs, and Prometheus can not read it', ''],
  ],
  'node-lost': [
    ['The counters were on one machine', 'embedded'],
    ['Redis is gone too', REDIS_AWAY],
    ['PostgreSQL is gone too', STALE],
    ['The others go on', ''],
  ],
  'nodes-added-and-removed': [
    ['It must be moved to Redis first', 'embedded'],
    ['Redis is away: wait', REDIS_AWAY],
    ['PostgreSQL is away: wait', STALE],
    ['Adding a node', ''],
    ['The configuration must be moved to PostgreSQL first', 'redis alone'],
  ],
  'out-of-memory': [
    ['Redis is full', fault('oom')],
    ['The embedded counters are full', 'embedded; brume_embedded_refusals_total +9'],
    ['The embedded counters are nearly full', 'embedded; brume_embedded_identifiers 950000'],
    ['Redis is nearly full, perhaps', 'doctor redis-policy warning'],
    [
      'The process is large',
      `brume_process_start_time_seconds ${NOW_S - 600}; brume_process_resident_memory_bytes 1200000000`,
    ],
    ['The process is large', 'brume_process_resident_memory_bytes 1600000000'],
    ['Brume has enough', ''],
  ],
  'upgrade-and-rollback': [
    ['The schema is too new for this version', 'answers no; doctor schema failure'],
    ['Going back', `${ERRORS} +5`],
    ['Not all is as it should be', 'doctor service warning'],
    ['Upgrading', 'doctor service ok'],
  ],
  'verdicts-slow': [
    ['Nobody asks', 'brume_request_duration_seconds_count{plane="data",route="/v1/limit"} 7'],
    [OVER, ''],
    ['Redis is away', `${SLOW_VERDICTS}; ${REDIS_AWAY}`],
    ['The node has too much to do', `${SLOW_VERDICTS}; ${BUSY_LOOP}`],
    ['The node is held up', `${SLOW_VERDICTS}; ${LATE_LOOP}`],
    ['Redis is slow', `${SLOW_VERDICTS}; ${SLOW_REDIS}`],
    ['Keys are looked up', `${SLOW_VERDICTS}; brume_key_lookups_total +30`],
    ['Counts are merged after an outage', `${SLOW_VERDICTS}; brume_local_merged_total +30`],
    ['It is the callers', SLOW_VERDICTS],
  ],
};
