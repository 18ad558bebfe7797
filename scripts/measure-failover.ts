import { parseArgs } from 'node:util';
import { LOST_MASTER_COLUMNS, LOST_MASTER_LEGEND, lostMaster } from './failover/lost-master.ts';
import { PLANNED_COLUMNS, PLANNED_LEGEND, plannedFailover } from './failover/planned.ts';

/**
 * A Brume on a Redis with two replicas and three Sentinels on loopback, under a steady load, whose master is
 * killed, or stopped as if it hung: when the loss is seen, when a replica is the master, when checks are counted
 * again, and how many went uncounted in between. With --planned the Sentinels are told to take another one while
 * it lives: how many that were counted are lost; with --pause-ms after it was told to hold back writes.
 */
const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '500' },
    runs: { type: 'string', default: '3' },
    'down-after': { type: 'string', default: '1000' },
    'timeout-ms': { type: 'string', default: '50' },
    fault: { type: 'string' },
    planned: { type: 'boolean', default: false },
    'pause-ms': { type: 'string', default: '0' },
    replicas: { type: 'string', default: '2' },
    'min-replicas': { type: 'string', default: '0' },
  },
});
const runs = Number(values.runs);
const options = {
  rate: Number(values.rate),
  downAfterMs: Number(values['down-after']),
  redisTimeoutMs: Number(values['timeout-ms']),
  replicas: Number(values.replicas),
  serverArgs: ['--min-replicas-to-write', values['min-replicas'], '--min-replicas-max-lag', '2'],
};

console.log(
  `${options.rate} checks a second, down-after ${options.downAfterMs} ms, BRUME_REDIS_TIMEOUT_MS=${options.redisTimeoutMs}, ${options.replicas} replicas, min-replicas-to-write ${values['min-replicas']}`,
);
if (values.planned) {
  const pauseMs = Number(values['pause-ms']);
  console.log(`planned failover, writes paused for ${pauseMs} ms`);
  console.log(PLANNED_LEGEND);
  console.log(PLANNED_COLUMNS.join('\t'));
  for (let run = 0; run < runs; run++)
    console.log((await plannedFailover({ ...options, pauseMs })).join('\t'));
} else {
  console.log(LOST_MASTER_LEGEND);
  console.log(LOST_MASTER_COLUMNS.join('\t'));
  for (const fault of ['kill', 'hang'] as const) {
    if (values.fault !== undefined && values.fault !== fault) continue;
    for (let run = 0; run < runs; run++) console.log((await lostMaster(fault, options)).join('\t'));
  }
}
