import type { Answer } from './caller.ts';
import { isMarkedDegraded, type LoadContext } from './load-context.ts';
import { COUNTED, FORWARDED, GUARDED, RATED } from './namespaces.ts';
import type { Subject } from './subjects.ts';
import { verdictFaults, verdictIn } from './verdict-faults.ts';

export interface RatedAdmission {
  readonly namespace: string;
  readonly identifier: string;
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** Single checks, of one of the namespaces whose counts are followed. */
export async function check(load: LoadContext): Promise<void> {
  const subject = load.parts.subjects.pick(load.random.pick(COUNTED), load.random);
  if (subject === undefined) return;
  const { namespace, identifier } = subject;
  const cost = load.random.isLucky(0.2) ? 2 : 1;
  await load.with([subject], async () => {
    const answer = await load.ask(
      { path: '/v1/limit', body: { namespace: namespace.name, identifier, cost } },
      [200],
    );
    if (answer?.status !== 200) return;
    load.use(subject, load.judge(answer.body, namespace.policy, answer), answer, cost);
  });
}

/** Of a window that passes many times. */
export async function ratedCheck(load: LoadContext, admissions: RatedAdmission[]): Promise<void> {
  const namespace = load.random.pick(RATED);
  const identifier = `${load.parts.prefix}-rated`;
  const answer = await load.ask(
    { path: '/v1/limit', body: { namespace: namespace.name, identifier } },
    [200],
  );
  if (answer?.status !== 200) return;
  const { success, degraded } = load.judge(answer.body, namespace.policy, answer);
  const { sentMs, receivedMs } = answer;
  if (success && !degraded) admissions.push({ namespace: namespace.name, identifier, sentMs, receivedMs });
}

/** The same request id twice, at once or after each other: it is counted once. */
export async function repeatedCheck(load: LoadContext): Promise<void> {
  const namespaces = COUNTED.filter(({ isGivenBack }) => !isGivenBack);
  const subject = load.parts.subjects.pick(load.random.pick(namespaces), load.random);
  if (subject === undefined) return;
  const { namespace, identifier } = subject;
  const requestId = `${load.parts.prefix}-${load.counts.calls}-${load.random.integer(0, 1e9)}`;
  const ask = () =>
    load.ask({ path: '/v1/limit', body: { namespace: namespace.name, identifier, requestId } }, [200]);
  await load.with([subject], async () => {
    const answers: (Answer | undefined)[] = load.random.isLucky(0.5)
      ? await Promise.all([ask(), ask()])
      : [await ask(), await ask()];
    const answered = answers.filter((answer) => answer?.status === 200) as Answer[];
    const verdicts = answered.map((answer) => load.judge(answer.body, namespace.policy, answer));
    const isCounted = verdicts.some(({ success, degraded }) => success && !degraded);
    const isDegraded = verdicts.some(({ degraded }) => degraded);
    const sentMs = Math.min(...answered.map((answer) => answer.sentMs));
    const receivedMs = Math.max(...answered.map((answer) => answer.receivedMs));
    if (isCounted) subject.ledger.add({ sentMs, receivedMs, least: 1, most: 1 });
    else if (isDegraded) subject.ledger.add({ sentMs, receivedMs, least: 0, most: 1 });
    else subject.denials++;
    if (isDegraded) subject.degradedMs = receivedMs;
  });
}

/** As a proxy asks, in a namespace that is closed while the store is away. */
export async function forwardedCheck(load: LoadContext): Promise<void> {
  const subject = load.parts.subjects.pick(FORWARDED, load.random);
  if (subject === undefined) return;
  await load.with([subject], async () => {
    const answer = await load.ask(
      {
        method: 'GET',
        path: `/v1/auth/forward/${FORWARDED.name}`,
        headers: { 'x-user': subject.identifier },
      },
      [200, 429, 503],
    );
    if (answer === undefined) return;
    const degraded = isMarkedDegraded(answer);
    const success = answer.status === 200;
    if (degraded !== (answer.status === 503))
      load.parts.broken('closed is 503', `${answer.status}, degraded ${degraded}`);
    load.count({ success, degraded });
    load.use(subject, { success, degraded }, answer);
  });
}

/** Who is blocked never passes and who is exempt always does, whatever the store says. */
export async function guardedCheck(load: LoadContext): Promise<void> {
  const identifier = load.random.pick(['villain', 'saint']);
  const answer = await load.ask({ path: '/v1/limit', body: { namespace: GUARDED.name, identifier } }, [200]);
  if (answer?.status !== 200) return;
  const verdict = verdictIn(answer.body);
  load.count(verdict);
  const { success, reason } = verdict;
  const isRight = identifier === 'saint' ? success && reason === 'exempt' : !success && reason === 'blocked';
  if (!isRight) load.parts.broken('blocks and exemptions hold', `${identifier}: ${success}, ${reason}`);
}

/** Several checks in a call, each by itself, or all of them or none. */
export async function batch(load: LoadContext): Promise<void> {
  const atomic = load.random.isLucky(0.6);
  const subjects = pickSeveral(load, atomic);
  if (subjects.length === 0) return;
  const checks = subjects.map(({ namespace, identifier }) => ({ namespace: namespace.name, identifier }));
  await load.with(subjects, async () => {
    const answer = await load.ask({ path: '/v1/limit/batch', body: { checks, atomic } }, [200]);
    if (answer?.status !== 200) return;
    const { verdicts: bodies } = answer.body as { verdicts: unknown[] };
    const verdicts = bodies.map((body, index) => {
      const policy = (subjects[index] as Subject).namespace.policy;
      if (!atomic) return load.judge(body, policy);
      // One that its batch holds back would pass by itself: denied without a reason.
      const verdict = verdictIn(body);
      load.count(verdict);
      const faults = verdictFaults({ ...verdict, success: verdict.reason === null }, policy);
      for (const fault of faults) load.parts.broken('verdict', `in an atomic batch: ${fault}`);
      return verdict;
    });
    if (!atomic) {
      for (const [index, subject] of subjects.entries()) {
        const verdict = verdicts[index];
        if (verdict !== undefined) load.use(subject, verdict, answer);
      }
      return;
    }
    const counted = verdicts.filter(({ degraded }) => !degraded);
    if (new Set(counted.map(({ success }) => success)).size > 1)
      load.parts.broken('all or none', JSON.stringify(verdicts.map(({ success }) => success)));
    const { sentMs, receivedMs } = answer;
    const isWhole = verdicts.every(({ success, degraded }) => success && !degraded);
    const isDegraded = counted.length < verdicts.length;
    for (const subject of subjects) {
      if (isDegraded) subject.degradedMs = receivedMs;
      subject.ledger.add({
        sentMs,
        receivedMs,
        least: isWhole ? 1 : 0,
        most: 1,
        isBrief: !isWhole,
      });
      if (!isWhole) subject.denials++;
    }
  });
}

/** Different ones, in namespaces that don't judge by themselves if they have to be judged as one. */
function pickSeveral(load: LoadContext, atomic: boolean): Subject[] {
  const namespaces = COUNTED.filter(
    ({ policy, isGivenBack }) => !atomic || (!isGivenBack && policy !== 'local'),
  );
  const count = load.random.integer(2, 4);
  const picked = Array.from({ length: count }, () =>
    load.parts.subjects.pick(load.random.pick(namespaces), load.random),
  );
  return [...new Set(picked)].filter((subject) => subject !== undefined);
}
