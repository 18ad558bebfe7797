import { deepEqual, equal, ok } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
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
import { codeBlocks, headingsOf, runbookFiles, shellCommands } from './markdown.ts';
import { metricFault } from './metric-fault.ts';

const folder = join(import.meta.dirname, '..', '..', 'runbooks');

/** Its words, also behind a variable, sudo, or where its output is used: `used=$(brume peek …)`. */
const BRUME = /(?:^|\$\()(?:[A-Z_]+=\S+ )*(?:sudo (?:-u \w+ )?)?brume ([^)]+)/;
const CHANGES_REDIS =
  /redis-cli .*\b(?:config (?:set|rewrite)|replicaof|failover|client (?:pause|kill)|shutdown|acl (?:setuser|save)|bgsave|script kill|cluster (?:forget|reset))\b/;

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

    it(`${file} asks before what changes a Redis, by a line that says only when it is to be run`, () => {
      for (const block of codeBlocks(text, 'sh').filter((code) => CHANGES_REDIS.test(code))) {
        ok(/^# Only /m.test(block.slice(0, block.search(CHANGES_REDIS))), block);
      }
    });
  }
});

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
