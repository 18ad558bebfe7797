import { deepEqual, equal, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConditionError, parseCondition } from '../../../src/operations/runbook/condition.ts';
import { type Facts, holds, values } from '../../../src/operations/runbook/evaluate.ts';
import { readingsIn } from '../../../src/operations/runbook/series.ts';

const BEFORE = `# HELP brume_redis_faults_total words
# TYPE brume_redis_faults_total counter
brume_redis_faults_total{kind="oom"} 10
brume_redis_connected 1
`;
const NOW = `# HELP brume_degraded_verdicts_total words
# TYPE brume_degraded_verdicts_total counter
# TYPE brume_store_duration_seconds histogram
# TYPE brume_certificate_end_timestamp_seconds gauge
brume_redis_faults_total{kind="oom"} 20
brume_redis_faults_total{kind="no \\"answer\\""} 4
brume_redis_connected 1
brume_snapshot_age_seconds 90.5
brume_embedded_identifiers 0
brume_certificate_end_timestamp_seconds{setting="A"} 2000
brume_certificate_end_timestamp_seconds{setting="B"} 3000
brume_request_duration_seconds_bucket{plane="data",le="+Inf"} 7
`;

function facts(some: Partial<Facts> = {}): Facts {
  return {
    answers: true,
    isSilent: false,
    units: { service: 'active', process: 'changing' },
    before: readingsIn(BEFORE),
    now: readingsIn(NOW),
    betweenMs: 5000,
    nowMs: 1_000_000,
    findings: [],
    ...some,
  };
}

function judged(text: string, some?: Partial<Facts>): boolean | undefined {
  return holds(parseCondition(text), facts(some));
}

describe('a condition of a runbook', () => {
  it('compares the sum, the least and the most of what a node counts', () => {
    equal(judged('brume_redis_connected == 1'), true);
    equal(judged('brume_redis_connected != 1'), false);
    equal(judged('brume_redis_faults_total >= 24'), true);
    equal(judged('brume_redis_faults_total{kind="oom"} < 20'), false);
    equal(judged('brume_snapshot_age_seconds <= 90.5'), true);
    equal(judged('min(brume_certificate_end_timestamp_seconds) - time() == 1000'), true);
    equal(judged('max(brume_certificate_end_timestamp_seconds) / 2 > 3 * 500 - 1'), true);
    equal(judged('brume_request_duration_seconds_bucket{plane="data", le="+Inf"} == 7'), true);
    equal(judged('brume_request_duration_seconds_bucket{plane=~"data|admin", le="+Inf"} == 7'), true);
    equal(judged('brume_request_duration_seconds_bucket{plane=~"dat", le="+Inf"} == 0'), true);
  });

  it('tells what grows in a second, also of series that are new', () => {
    equal(judged('rate(brume_redis_faults_total{kind="oom"}) == 2'), true);
    equal(judged('rate(brume_redis_faults_total) == 2.8'), true);
    equal(judged('rate(brume_redis_faults_total{kind="busy"}) == 0'), true);
    const restarted = { before: readingsIn('brume_redis_faults_total{kind="oom"} 99\n') };
    equal(judged('rate(brume_redis_faults_total) > 0', restarted), false);
  });

  it('is about nothing, and not about what is missing, where something is counted and none of it was yet', () => {
    equal(judged('brume_degraded_verdicts_total == 0'), true);
    equal(judged('rate(brume_degraded_verdicts_total{fault="timeout"}) == 0'), true);
    equal(judged('rate(brume_store_duration_seconds_count) == 0'), true);
    equal(judged('brume_store_duration_seconds_bucket{le="0.01"} == 0'), true);
    equal(judged('brume_certificate_end_timestamp_seconds{setting="C"} == 0'), undefined);
  });

  it('holds if all of it does, and is not known where something is not there', () => {
    equal(judged('brume_redis_connected == 1 and brume_snapshot_age_seconds > 60'), true);
    equal(judged('brume_redis_connected == 0 and brume_nowhere > 60'), false);
    equal(judged('brume_redis_connected == 1 and brume_nowhere > 60'), undefined);
    equal(judged('rate(brume_nowhere) > 0'), undefined);
    equal(judged('brume_redis_connected / brume_embedded_identifiers > 0'), undefined);
  });

  it('holds of each part if it does of all of them', () => {
    const listeners = 'brume_connections_open{listener="a"} 3\nbrume_connections_open{listener="b"} 9\n';
    const now = { now: readingsIn(listeners) };
    equal(judged('each(listener: brume_connections_open < 10)', now), true);
    equal(judged('each(listener: brume_connections_open < 9)', now), false);
    equal(judged('each(listener: brume_connections_open < 10) and brume_nowhere == 1', now), undefined);
    equal(judged('each(listener: brume_nowhere < 10)', now), undefined);
    equal(judged('each(fault: brume_degraded_verdicts_total < 1)'), true, 'there is none of it');
    equal(judged('each(kind: rate(brume_redis_faults_total) <= 2)'), true);
    equal(judged('each(kind: rate(brume_redis_faults_total) / 2 + 1 <= 1.9)'), false);
  });

  it('asks whether the node answers, and what doctor found', () => {
    equal(judged('answers == yes'), true);
    equal(judged('answers == no'), false);
    const finding = { text: 'Words.', remedy: null };
    const findings = [
      { ...finding, check: 'disk', state: 'ok' },
      { ...finding, check: 'disk', state: 'warning' },
      { ...finding, check: 'redis-policy', state: 'failure' },
      { ...finding, check: 'stores', state: 'unseen' },
    ] as const;
    equal(judged('doctor(disk) == warning', { findings }), true);
    equal(judged('doctor(disk) == ok', { findings }), false);
    equal(judged('doctor(redis-policy) == failure', { findings }), true);
    equal(judged('doctor(stores) == failure', { findings }), undefined);
    equal(judged('doctor(clocks) == failure', { findings }), undefined);
  });

  it('asks whether somebody listens who does not answer, and what systemd says', () => {
    equal(judged('answers == silent'), false);
    equal(judged('answers == silent', { answers: false, isSilent: true }), true);
    equal(judged('answers == no', { answers: false, isSilent: true }), true);
    equal(judged('service == active and process == changing'), true);
    equal(judged('process == inactive'), false);
  });

  it('shows by what it was decided', () => {
    const condition = parseCondition('rate(brume_redis_faults_total{kind="oom"}) > 1 and brume_nowhere == 0');
    deepEqual(values(condition, facts()), [
      ['rate(brume_redis_faults_total{kind="oom"})', 2],
      ['brume_nowhere', null],
    ]);
  });

  it('is refused where it can not be read, with the text', () => {
    for (const text of [
      '',
      'brume_redis_connected',
      'brume_redis_connected = 1',
      'brume_redis_connected == ',
      'brume_redis_connected == 1 or brume_snapshot_stale == 1',
      'brume_x{kind} > 0',
      'brume_x{kind=1} > 0',
      'rate(5) > 0',
      'doctor(teeth) == failure',
      'doctor(disk) == broken',
      'answers == perhaps',
      'process == well',
      'brume_x > 1 ; drop',
      'each(brume_x > 1)',
      'each(listener: brume_x)',
      '(brume_x) > 1',
    ]) {
      throws(() => parseCondition(text), ConditionError, text);
    }
  });
});
