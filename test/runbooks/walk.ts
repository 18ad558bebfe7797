import { equal, match, ok } from 'node:assert/strict';
import { sectionOf } from '../../src/operations/runbook/runbook.ts';
import { waitFor } from '../support/wait-for.ts';
import { codeBlocks, headingsOf } from './markdown.ts';

/** The system in which somebody follows runbooks/redis-failover.md. */
export interface WalkedSystem {
  /** The runbook's text. */
  readonly text: string;
  /** What the runbook says, and what it is in this system: `MASTER`, and the host. */
  readonly names: readonly (readonly [said: string, here: string])[];
  /** Both servers as a Sentinel names them: host and port, a line each. */
  readonly master: string;
  readonly replica: string;
  /** Gives what they print, also where one fails; what they leave in the background goes on. */
  run(commands: string): Promise<string>;
  /** Resolves when the node says that all is well. */
  isWell(): Promise<void>;
  /** Resolves when the Sentinels name the server that is the master by then. */
  isMoved(to: 'master' | 'replica'): Promise<void>;
  /** Resolves when the former master follows the new one, and the Sentinels know. */
  isFollowed(): Promise<void>;
}

/**
 * Does the steps of "Planned, with Sentinels" by the letter, and waits where they say so: the master is moved, and
 * back. Gives how many counts were lost, as step 6 says it.
 */
export async function walkPlannedFailover(system: WalkedSystem): Promise<number> {
  const section = sectionOf(system.text, 'Planned, with Sentinels') ?? '';
  const step = (number: number) => system.run(commandsOf(section, number, system.names));
  equal(headingsOf(section).filter(({ level }) => level === 4).length, 8);

  const seen = await step(1);
  match(seen, /^status +ready$/m);
  match(seen, /^OK \d usable Sentinels/m);
  ok(seen.includes(`\n${system.master}\n`), seen);
  match(seen, /^master$[\s\S]*^slave$/m);
  await step(2);
  await step(3);
  match(await step(4), /\nOK\nOK\n/);
  await system.isMoved('replica');
  await system.isWell();
  const moved = await step(5);
  ok(moved.startsWith(`${system.replica}\nmaster\n`), moved);

  const compared = await step(6);
  const [, counted = '', known = '', lost = ''] =
    /^counted (\d+), known to Redis (\d+), lost (-?\d+), degraded \d+$/m.exec(compared) ?? [];
  ok(Number(counted) > 10 && Number(known) > 10, compared);
  equal(Number(counted) - Number(known), Number(lost), compared);

  await system.isFollowed();
  await waitFor('the way back', async () => (await step(7)).includes('\nOK\nOK\n'), { timeoutMs: 120_000 });
  await system.isMoved('master');
  await system.isWell();
  await step(8);
  return Number(lost);
}

/** What stands in a step, with the names of this system. */
function commandsOf(section: string, number: number, names: WalkedSystem['names']): string {
  const title = headingsOf(section).find(({ title: each }) => each.startsWith(`Step ${number}:`))?.title;
  const commands = codeBlocks(`${sectionOf(section, title ?? '') ?? ''}\n`, 'sh').join('');
  ok(commands !== '', `there is no step ${number}`);
  return names.reduce((text, [said, here]) => text.replaceAll(said, here), commands);
}
