import { type Command, InvalidArgumentError, Option } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, defineGroup, withOutputOptions } from '../../define-command.ts';
import { DURATION_EXPECTED, parseDurationMs } from '../../duration.ts';
import type { Session } from '../../session.ts';
import { type DoDrillOptions, doDrill } from './do-drill.ts';
import { DRILLS, type Drill, examplesFor } from './drills.ts';

const WHAT_ALL_DO =
  'Drives a load of its own, in a project of its own, at the data planes; looks from outside when the fault is felt, when all is counted again, what is lost and what is admitted beyond the limits; holds that against BRUME_OBJECTIVE_*; and undoes what it did, also after Ctrl-C. Asks before it begins. Refuses on a system that is not healthy, while another drill runs, or on a system that is in use unless --live is given. The exit code is 0 if something happened, the objectives are met and all is undone, 1 if not, and 130 after Ctrl-C.';

export function drillCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'drill', 'rehearse a fault under load, and see what it does');
  for (const drill of DRILLS) {
    const command = defineCommand(group, drill.name, {
      summary: drill.summary,
      description: `${drill.description} ${WHAT_ALL_DO}`,
      examples: examplesFor(drill),
    })
      .option(
        '--node <url...>',
        "data planes that are asked (default: this machine's, as BRUME_LISTEN says)",
        dataPlane,
      )
      .option('--rate <number>', 'checks a second', checkRate, 50)
      .addOption(
        new Option('--policy <policy>', 'onStoreFailure of the namespace of the drill')
          .choices(['open', 'closed', 'local'])
          .default('open'),
      )
      .option('--live', 'also where others ask for verdicts now')
      .option('-y, --yes', "don't ask; required where nobody can be asked")
      .option('--report <directory>', 'write a report there: JSON, Markdown and a picture', name)
      .option('--socket <path>', 'admin socket of this Brume (default: as for brume status)', name)
      .option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)', name);
    if (drill.lastsMs !== null) {
      command.option(
        '--lasts <duration>',
        `how long the fault lasts (default: ${drill.lastsMs}ms)`,
        duration,
      );
    }
    if (drill.name === 'redis-failover') {
      command.option(
        '--pause-writes <duration>',
        'have the master hold back writes meanwhile, so that no count is lost: at most so long',
        duration,
      );
    }
    if (drill.byHand !== undefined) {
      command
        .option(
          '--begin <command>',
          'shell command that brings the fault about, in place of asking somebody to',
          name,
        )
        .option('--end <command>', endWords(drill), name);
    }
    withOutputOptions(command).action((options: DoDrillOptions) =>
      session.answer(options, () => doDrill(drill, options, session)),
    );
  }
}

function endWords({ byHand }: Drill): string {
  if (byHand?.endsBySelf === true) return 'shell command that is run after it, also if it failed';
  return 'shell command that undoes it, also twice; goes with --begin ("true" where it comes back by itself)';
}

function dataPlane(text: string, before: string[] = []): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new InvalidArgumentError('Expected a data plane such as http://10.0.0.7:8600.');
  return [...before, url.origin];
}

function checkRate(text: string): number {
  const rate = Number(text);
  if (!/^\d+$/.test(text) || rate < 4 || rate > 2000)
    throw new InvalidArgumentError('Expected a whole number from 4 to 2000.');
  return rate;
}

function duration(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms > 600_000) throw new InvalidArgumentError(`${DURATION_EXPECTED} 10m at most.`);
  return ms;
}
