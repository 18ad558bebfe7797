import { deepEqual, equal, ok } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { buildProgram } from '../../src/cli/program.ts';
import { Session } from '../../src/cli/session.ts';
import {
  anchorOf,
  findRunbook,
  OVER,
  runbookNames,
  SECTIONS,
  sectionOf,
} from '../../src/operations/runbook/runbook.ts';
import { silentTerminal } from '../cli/fake-terminal.ts';
import { dangerOf, unaskedIn, unaskedInProse } from './dangerous.ts';
import { codeBlocks, headingsOf, runbookFiles, shellCommands } from './markdown.ts';
import { metricFault } from './metric-fault.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'runbooks');

/** Its words, also behind a variable, sudo, or where its output is used: `used=$(brume peek …)`. */
const BRUME = /(?:^|\$\()(?:[A-Z_]+=\S+ )*(?:sudo (?:-u \w+ )?)?brume ([^)]+)/;

describe('the runbooks', () => {
  for (const name of runbookNames()) {
    const runbook = findRunbook(name);
    const text = runbook?.text ?? '';

    it(`${name} has its headings in their order, and rows that lead somewhere`, () => {
      const top = headingsOf(text).filter(({ level }) => level === 2);
      deepEqual(
        top.map(({ title }) => title),
        [...SECTIONS],
      );
      equal(headingsOf(text).filter(({ level }) => level === 1).length, 1);
      ok((runbook?.summary ?? '').length > 40);
      const rows = sectionOf(text, 'Diagnosis')?.match(/^\| (?:`|otherwise)/gm) ?? [];
      equal(runbook?.branches.length, rows.length, 'a row of the diagnosis is not read');
      for (const { title, target, condition } of runbook?.branches ?? []) {
        if (condition !== null) equal(metricFault(condition.text), undefined, condition.text);
        if (target.startsWith('#')) {
          equal(target, `#${anchorOf(title)}`);
          ok((sectionOf(sectionOf(text, 'Mitigation') ?? '', title) ?? '').length > 20, title);
        } else ok(existsSync(join(folder, target)), target);
      }
      // On a node that is well, or that has no such figure, it would lead somewhere all the same.
      const isForAlerts = (runbook?.alerts.length ?? 0) > 0;
      const rest = runbook?.branches.some(({ condition }) => condition === null);
      if (isForAlerts && rest) ok(runbook?.branches.some(({ title: to }) => to === OVER));
      const mitigation = headingsOf(sectionOf(text, 'Mitigation') ?? '').filter(({ level }) => level === 3);
      deepEqual(
        mitigation.map(({ title }) => title).filter((title) => !text.includes(`](#${anchorOf(title)})`)),
        [],
        'nothing leads there',
      );
    });
  }

  for (const { file, text } of runbookFiles()) {
    it(`${file} links to what is there`, () => {
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(target)) continue;
        const [path = '', anchor] = target.split('#');
        const linked = path === '' ? join(folder, file) : join(dirname(join(folder, file)), path);
        ok(existsSync(linked), target);
        if (anchor === undefined) continue;
        const anchors = headingsOf(readFileSync(linked, 'utf8')).map(({ title }) => anchorOf(title));
        ok(anchors.includes(anchor), target);
      }
    });

    it(`${file} has commands of brume that brume takes, and none that stalls a Redis`, async () => {
      for (const command of codeBlocks(text, 'sh').flatMap(shellCommands)) {
        ok(
          !/\b(keys|monitor|flushall|flushdb|debug)\b/i.test(/\bredis-cli\b.*/.exec(command)?.[0] ?? ''),
          command,
        );
        const words = BRUME.exec(command)?.[1];
        if (words !== undefined) equal(await parseFault(words), undefined, command);
      }
    });

    it(`${file} asks before what is dangerous, by a line that says only when it is to be run`, () => {
      deepEqual(codeBlocks(text, 'sh').flatMap(unaskedIn), []);
      deepEqual(unaskedInProse(text), []);
    });
  }

  it('end no process by its colour, which may be that of the one that serves', () => {
    const commands = runbookFiles().flatMap(({ text }) => codeBlocks(text, 'sh').flatMap(shellCommands));
    const byColour = /^systemctl (?:kill|stop|restart|disable|mask)\b.*\bbrume@/;
    deepEqual(
      commands.filter((command) => byColour.test(command)),
      [],
    );
  });

  it('disable Brume with its sockets, as the pages do: a connection would start it again', () => {
    const units = readdirSync(join(root, 'systemd')).filter((unit) =>
      /^\[Install\]$/m.test(textIn(join(root, 'systemd', unit))),
    );
    const commands = ['runbooks', 'docs']
      .flatMap((each) => readdirSync(join(root, each)).map((file) => join(root, each, file)))
      .filter((path) => path.endsWith('.md'))
      .flatMap(
        (path) => textIn(path).match(/systemctl (?:\S+ )*?disable [^\n`&;]*\bbrume\b[^\n`&;]*/g) ?? [],
      );
    ok(units.length === 4 && commands.length > 0);
    for (const command of commands)
      deepEqual(command.match(/\bbrume\S*/g)?.sort(), [...units].sort(), command);
  });

  it('have to ask before each kind of danger, and only before those', () => {
    for (const command of [
      'systemctl stop brume',
      'systemctl disable --now redis-server',
      'sudo systemctl kill --signal=KILL redis-server',
      'xargs --no-run-if-empty systemctl kill',
      'systemctl restart brume',
      'reboot',
      'date --set 12:00',
      'nft add rule inet filter input drop',
      'redis-cli -h HOST config set maxmemory 0',
      'redis-cli -h HOST client pause 1000',
      'psql -h HOST postgres -c "select pg_terminate_backend(pid) from pg_stat_activity"',
      "psql -h HOST postgres -c 'select pg_promote()'",
      "psql -h HOST brume -c 'DROP TABLE nodes'",
      'brume restore --replace /var/backups/brume.backup',
      'BRUME_STATE_DIR=/x brume move --to-file /etc/brume/database-url',
      'rm -rf /var/lib/brume',
      'mv /var/lib/brume/moved.json /root/',
      'apt-get purge brume',
      'dnf downgrade brume',
    ]) {
      deepEqual(unaskedIn(`hostname && ${command}\n`), [command]);
      deepEqual(unaskedIn(`hostname\n# Only on HOST.\n${command}\n`), []);
      deepEqual(unaskedInProse(`Then run \`${command}\`, and wait.`), [command]);
      deepEqual(unaskedInProse(`Don't run \`${command}\` there.`), []);
    }
    for (const command of [
      'systemctl reload brume',
      'systemctl kill --signal=CONT redis-server',
      'systemctl start brume',
      'redis-cli -h HOST config get save',
      "psql -h HOST postgres -c 'select pg_is_in_recovery()'",
      'brume backup --verify /var/backups/brume.backup',
      'rm -f /tmp/failover-probe.jsonl',
      'apt-get install --only-upgrade brume',
    ]) {
      equal(dangerOf(command), undefined, command);
    }
  });
});

/** Of a directory nothing. */
function textIn(path: string): string {
  return statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
}

/** Only parsed, by the command line's own parser: no action is run. */
async function parseFault(words: string): Promise<string | undefined> {
  const program = buildProgram(new Session(silentTerminal()));
  withoutActions(program);
  try {
    await program.parseAsync(
      words
        .replace(/\bREVISION\b/, '41')
        .split(/\s+(?=(?:[^']*'[^']*')*[^']*$)/)
        .map((word) => word.replaceAll("'", '')),
      { from: 'user' },
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function withoutActions(command: ReturnType<typeof buildProgram>): void {
  if (command.commands.length === 0) command.action(() => undefined);
  for (const child of command.commands) withoutActions(child);
}
