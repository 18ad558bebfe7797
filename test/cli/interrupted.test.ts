import { deepEqual, equal, match } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { startBrumeTerminal } from '../support/brume-terminal.ts';

const [CTRL_C, CTRL_D] = ['\u0003', '\u0004'];

describe('whoever is asked at a terminal', () => {
  let brume: BrumeProcess;
  before(async () => {
    brume = await startBrume();
    await brume.json('project', 'create', 'shop');
  });
  after(() => brume.stop());
  const projectsOf = async () => ((await brume.json('project', 'list')) as { items: unknown[] }).items.length;

  it('ends the command by Ctrl-C, with exit code 130', async () => {
    const terminal = await startBrumeTerminal(brume.settings, 'project', 'delete', 'shop');
    await terminal.shows('[y/N]');
    terminal.type(CTRL_C);
    equal(await terminal.ended(), 130);
    match(terminal.shown(), /\[y\/N\] \S*\r\nbrume: Interrupted\.\r\n$/);
    equal(await projectsOf(), 1);
  });

  it('says no by the end of input', async () => {
    const terminal = await startBrumeTerminal(brume.settings, 'project', 'delete', 'shop');
    await terminal.shows('[y/N]');
    terminal.type(CTRL_D);
    await terminal.shows('Nothing was deleted.');
    deepEqual([await terminal.ended(), await projectsOf()], [1, 1]);
  });
});
