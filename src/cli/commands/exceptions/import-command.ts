import type { Command } from 'commander';
import type { LimitOverride } from '../../../client/exceptions.ts';
import { name, wholeNumber } from '../../arguments.ts';
import { withYes } from '../../confirm-delete.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { EXIT } from '../../failure.ts';
import { type ProjectOptions, projectOf, withProjectOption } from '../../project-option.ts';
import { readText } from '../../read-text.ts';
import type { Session } from '../../session.ts';
import type { Terminal } from '../../terminal.ts';
import { present } from '../namespace/spec.ts';
import { confirmEverybody, everybodyWarning, NOT_BLOCKED } from './confirm-everybody.ts';
import { type EndOptions, endOf, withEndOptions } from './end-options.ts';
import type { ExceptionWords } from './exception-words.ts';
import { IMPORT_BYTES_MAX, importLines } from './import-file.ts';
import { type ImportEntry, importPortions } from './import-portions.ts';
import { importText } from './import-text.ts';
import type { LimitsOptions, WithLimits } from './limits-options.ts';

const PROGRESS_EVERY_MS = 1000;

interface Options extends ProjectOptions, EndOptions, LimitsOptions {
  readonly reason?: string;
  readonly replace?: boolean;
  readonly fromLine: number;
  readonly yes?: boolean;
}

/** `import` of one kind. */
export function defineImportCommand(
  group: Command,
  session: Session,
  words: ExceptionWords,
  withLimits: WithLimits = {},
): void {
  const { group: typed, collection, plural } = words;
  const isOverrides = collection === 'overrides';
  const numbers = isOverrides ? ' --limit 1000' : '';
  const command = defineCommand(group, 'import', {
    summary: `add many ${plural} from a file`,
    description: `Adds what a file lists, one a line: match[,until][,reason], in "quotes" as in CSV where a comma belongs to it; until is a time, or a duration such as 2h. Empty lines and lines that begin with # are passed over. A thousand lines at a time are one change, all of them or none; where one is refused, the answer says with which line to go on.${isOverrides ? ' All get the numbers that the options say.' : ''} A file has at most 1,000,000 lines and 128 MiB.`,
    examples: [
      `brume ${typed} import login ./addresses.txt${numbers} --for 7d --reason "list of 2026-11-29"`,
      `brume ${typed} import login ./addresses.csv${numbers} --replace`,
      `grep -v trusted addresses.txt | brume ${typed} import login -${numbers} --for 1d --replace`,
    ],
  })
    .argument('<namespace>', 'name', name)
    .argument('<file>', 'the file; - reads standard input', name);
  withLimits.withOptions?.(command);
  withEndOptions(command)
    .option('--reason <text>', 'for lines that have none')
    .option('--replace', 'take the place of what is there; so a file can be imported again')
    .option('--from-line <n>', 'begin with this line, after one was refused', wholeNumber, 1);
  if (collection === 'blocks') withYes(command);
  withAdminOptions(withProjectOption(command)).action((namespace: string, file: string, options: Options) =>
    session.ask(options, async (client) => {
      const limits = withLimits.limitsOf?.(options);
      const text = await readText(file, session.terminal, IMPORT_BYTES_MAX);
      const entries = entriesOf(text, { file, limits, ...options });
      const matches = entries.map(({ entry }) => entry.match);
      const everybody = everybodyWarning(words, namespace, matches);
      if (!(await confirmEverybody(session.terminal, everybody, options))) return NOT_BLOCKED;
      const project = await projectOf(client, options);
      const place = { project, namespace, collection };
      const { replace = false } = options;
      const onProgress = progress(session.terminal, entries.length);
      const json = await importPortions(client, place, entries, { replace, onProgress });
      const told = importText(json, `${plural} into ${namespace} of ${project}`, file);
      return { json, text: told, exitCode: json.failure === null ? 0 : EXIT.refused };
    }),
  );
}

/** What a line doesn't say, the options do. */
function entriesOf(
  text: string,
  options: Options & { readonly file: string; readonly limits: readonly LimitOverride[] | undefined },
): ImportEntry[] {
  const { file, limits, fromLine, reason: usual } = options;
  const end = endOf(options);
  return [...importLines(text, file, Date.now())]
    .filter(({ line }) => line >= fromLine)
    .map(({ line, match, until = end, reason = usual }) => ({
      line,
      entry: { match, ...present({ limits, reason, expiresAt: until }) },
    }));
}

/** Tells on standard error how far it is, seldom. */
function progress(terminal: Terminal, count: number): (sent: number) => void {
  let toldMs = Date.now();
  return (sent) => {
    if (sent === count || Date.now() - toldMs < PROGRESS_EVERY_MS) return;
    toldMs = Date.now();
    terminal.err(`${sent} of ${count} …`);
  };
}
