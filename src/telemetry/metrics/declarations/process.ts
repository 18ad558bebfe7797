import type { MetricDeclarations } from '../declaration.ts';

export const PROCESS = {
  brume_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels say what runs.',
    labels: ['version', 'node'],
  },
  brume_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'By how much a timer that is due ten times a second came late: for so long nothing was answered.',
    labels: [],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
  },
  brume_event_loop_active_seconds_total: {
    type: 'counter',
    help: 'Time in which the event loop worked; its rate is the share of a CPU core that is in use, and 1 is all there is.',
    labels: [],
  },
  brume_log_lines_lost_total: {
    type: 'counter',
    help: 'Lines of the log that were dropped because its reader stalled or its disk was full for too long; a line of the log says so, too.',
    labels: [],
  },
  brume_nodes_counting_elsewhere: {
    type: 'gauge',
    help: "Nodes with this node's configuration that count in another Redis, or can't reach this one's: each Redis admits the whole limit.",
    labels: [],
  },
  brume_predecessor_draining_seconds: {
    type: 'gauge',
    help: 'For how long another process of this node has been draining beside this one, as after a reload; 0 where none is. A process that drains can not be asked itself: it takes no new connections.',
    labels: [],
  },
  brume_process_cpu_seconds_total: {
    type: 'counter',
    help: 'CPU time of the process, all threads, by mode: user or system.',
    labels: ['mode'],
  },
  brume_process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Memory of the process that is in RAM.',
    labels: [],
  },
  brume_process_heap_bytes: {
    type: 'gauge',
    help: 'Memory of JavaScript objects, by state: used, or total as taken from the system.',
    labels: ['state'],
  },
  brume_process_open_fds: { type: 'gauge', help: 'Open file descriptors, sockets included.', labels: [] },
  brume_process_max_fds: { type: 'gauge', help: 'The most file descriptors that may be open.', labels: [] },
  brume_process_start_time_seconds: {
    type: 'gauge',
    help: 'When the process started, in seconds since 1970.',
    labels: [],
  },
  brume_state_dir_free_bytes: {
    type: 'gauge',
    help: 'What Brume may still write to the file system of its state directory (BRUME_STATE_DIR).',
    labels: [],
  },
  brume_state_dir_size_bytes: {
    type: 'gauge',
    help: 'Size of the file system of the state directory.',
    labels: [],
  },
  brume_certificate_end_timestamp_seconds: {
    type: 'gauge',
    help: 'When the certificate that this process uses ends, in seconds since 1970, by the setting that names its file; of a chain, the first to end. One that was renewed is used after a reload.',
    labels: ['setting'],
  },
} as const satisfies MetricDeclarations;
