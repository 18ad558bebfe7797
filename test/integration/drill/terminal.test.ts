import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type BrumeProcess, startBrume } from '../../support/brume-process.ts';
import { startBrumeTerminal } from '../../support/brume-terminal.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { waitFor } from '../../support/wait-for.ts';
import { projectsOf } from './drilled.ts';

const CTRL_C = '\u0003';
const ENTER = '\r';

describe('a drill at a terminal', () => {
  let brume: BrumeProcess;
  before(async () => {
    brume = await startBrume();
  });
  after(() => brume.stop());
  const drill = (...words: string[]) => startBrumeTerminal(brume.settings, 'drill', ...words);

  it('takes Ctrl-C where it asks for the fault for no Enter, and asks all the same to undo it', async () => {
    const terminal = await drill('node-loss');
    await terminal.shows('Begin? [y/N]');
    terminal.type(`y${ENTER}`);
    await terminal.shows('take another node of Brume away, then press Enter');
    terminal.type(CTRL_C);
    await terminal.shows('bring it back, then press Enter');
    terminal.type(ENTER);
    await terminal.shows('What was done is undone.');
    equal(await terminal.ended(), 130);
    ok(!terminal.shown().includes('Begun'), terminal.shown());
    deepEqual(await projectsOf(brume), []);
  });

  it('says what is not undone where the last question is interrupted, too', async () => {
    const terminal = await drill('node-loss', '--yes');
    await terminal.shows('take another node of Brume away, then press Enter');
    terminal.kill('SIGTERM');
    await terminal.shows('bring it back, then press Enter');
    terminal.type(CTRL_C);
    await terminal.shows('Not undone: Interrupted. To undo it by hand: bring it back');
    equal(await terminal.ended(), 143);
    deepEqual(await projectsOf(brume), []);
  });

  it('ends by one TERM where it asks for the end, and says what is not undone', async () => {
    const terminal = await drill('node-loss', '--yes', '--lasts', '1ms');
    await terminal.shows('take another node of Brume away, then press Enter');
    terminal.type(ENTER);
    await terminal.shows('bring it back, then press Enter');
    terminal.kill('SIGTERM');
    await terminal.shows('Not undone: Nobody said that it was done. To undo it by hand: bring it back');
    equal(await terminal.ended(), 143);
    deepEqual(await projectsOf(brume), []);
  });

  it('ends at once, and leaves nothing, where it is interrupted before it asks', async () => {
    const terminal = await drill('node-loss');
    await terminal.shows('Looking whether');
    terminal.type(CTRL_C);
    equal(await terminal.ended(), 130);
    match(terminal.shown(), /brume: Interrupted\./);
    ok(!terminal.shown().includes('Begin?'), terminal.shown());

    const asked = await drill('node-loss');
    await asked.shows('Begin? [y/N]');
    asked.type(CTRL_C);
    equal(await asked.ended(), 130);
    deepEqual(await projectsOf(brume), []);
  });

  it('undoes all of it when the terminal is closed', async (t) => {
    const directory = temporaryDirectory(t);
    const [begun, ended] = [join(directory, 'begun'), join(directory, 'ended')];
    const commands = ['--begin', `touch ${begun}`, '--end', `touch ${ended}`];
    const terminal = await drill('node-loss', '--yes', '--lasts', '10m', ...commands);
    await waitFor('the fault begins', () => existsSync(begun));
    terminal.hangUp();
    await terminal.ended();
    ok(existsSync(ended));
    deepEqual(await projectsOf(brume), []);
  });

  it('takes a terminal that is closed where it asks for no Enter', async () => {
    const terminal = await drill('node-loss', '--yes');
    await terminal.shows('take another node of Brume away, then press Enter');
    terminal.hangUp();
    await terminal.ended();
    deepEqual(await projectsOf(brume), []);
  });
});
