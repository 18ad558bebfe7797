import assert from 'node:assert/strict';
import { waitFor } from '../support/wait-for.ts';
import type { Guest } from './guest.ts';

export const DATA = 'http://127.0.0.1:8600';
export const COLOURS = ['brume@blue.service', 'brume@green.service'] as const;
export const SOCKETS = ['brume.socket', 'brume-management.socket', 'brume-admin.socket'] as const;
export const UNITS = [...SOCKETS, 'brume.service'] as const;

/** Where in its life a colour can be held, by the name that systemd has for it (SubState). */
const PHASES = ['start-pre', 'start-post', 'stop', 'stop-post'] as const;
export type Phase = (typeof PHASES)[number];

const SETTLING = { timeoutMs: 60_000, everyMs: 100 };
const HOLDING = '/run/hold';

/** From now on every colour stays where `hold` says, until `release`. */
export async function letHold(guest: Guest): Promise<void> {
  const hold = (phase: Phase) => `+/bin/sh -c 'while [ -e ${HOLDING}/${phase} ]; do sleep 0.05; done'`;
  const shipped = '-+/usr/lib/brume/serving %i';
  await guest.write(
    '/etc/systemd/system/brume@.service.d/hold.conf',
    [
      '[Service]',
      `ExecStartPre=${hold('start-pre')}`,
      // Ready, and the other one not told yet.
      'ExecStartPost=',
      `ExecStartPost=${hold('start-post')}`,
      `ExecStartPost=${shipped}`,
      // Not told to end yet.
      `ExecStop=${hold('stop')}`,
      `ExecStopPost=${hold('stop-post')}`,
      '',
    ].join('\n'),
  );
  await guest.must('mkdir', '-p', HOLDING);
  await guest.must('systemctl', 'daemon-reload');
}

export async function hold(guest: Guest, phase: Phase): Promise<void> {
  await guest.must('touch', `${HOLDING}/${phase}`);
}

export async function release(guest: Guest): Promise<void> {
  await guest.must('rm', '-f', ...PHASES.map((phase) => `${HOLDING}/${phase}`));
}

/** Resolves to the colour that is in one of the states of systemd that are named, once one is. */
export async function colourIn(guest: Guest, ...subStates: readonly string[]): Promise<string> {
  return waitFor(
    `a colour in ${subStates.join(' or ')}`,
    async () => {
      for (const unit of COLOURS) {
        if (subStates.includes(await guest.property(unit, 'SubState'))) return unit;
      }
      return undefined;
    },
    { timeoutMs: 60_000, everyMs: 20 },
  );
}

/** Kills what brume.service runs to switch the colours, with all that it started. */
export async function killSwitch(guest: Guest): Promise<void> {
  await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=all', 'brume.service');
}

/** In the end one colour serves, the other is at rest, and every unit says so. */
export async function assertServes(guest: Guest): Promise<void> {
  const states = async (): Promise<string[]> =>
    Promise.all([...UNITS, ...COLOURS].map((unit) => guest.property(unit, 'ActiveState')));
  const isSettled = async (): Promise<boolean> => {
    const [colours, others] = [(await states()).slice(-2).sort(), (await states()).slice(0, -2)];
    return (
      others.every((state) => state === 'active') &&
      colours[0] === 'active' &&
      ['inactive', 'failed'].includes(colours[1] ?? '')
    );
  };
  try {
    await waitFor('one colour that serves', isSettled, SETTLING);
  } catch (error) {
    throw new Error(`${(await states()).join(' ')}\n${await guest.journal()}`, { cause: error });
  }
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
}

/** Now no process of Brume runs, nothing listens, and nothing counts as failed. */
export async function assertStopped(guest: Guest): Promise<void> {
  const notInactive = async (): Promise<string[]> => {
    const states = [...UNITS, ...COLOURS].map(
      async (unit) => `${unit} ${await guest.property(unit, 'ActiveState')}`,
    );
    return (await Promise.all(states)).filter((state) => !state.endsWith(' inactive'));
  };
  // The sockets are closed by jobs of their own, once brume.service has ended.
  await waitFor('all to be inactive', async () => (await notInactive()).length === 0, SETTLING).catch(
    async () => assert.fail(`${await notInactive()}\n${await guest.journal()}`),
  );
  assert.equal((await guest.run('pgrep', '-u', 'brume', '--list-full')).stdout, '');
  assert.equal(await guest.must('ss', '-H', '-ltn', 'sport = 8600 or sport = 8610'), '');
  assert.equal(await guest.must('find', '/run', '-path', '/run/brume/*'), '');
  assert.equal(await guest.must('systemctl', '--failed', '--no-legend', '--plain'), '');
}
