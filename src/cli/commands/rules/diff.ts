import type { Command } from 'commander';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { EXIT } from '../../failure.ts';
import { type ProjectOptions, withProjectOption } from '../../project-option.ts';
import type { Session } from '../../session.ts';
import { changeText } from './change-text.ts';
import { fileProject } from './file-project.ts';
import { expiredLines, planOf } from './plan.ts';
import { readRulesInput } from './rules-input.ts';

interface Options extends ProjectOptions {
  readonly prune?: boolean;
}

export function rulesDiff(group: Command, session: Session): void {
  const command = defineCommand(group, 'diff', {
    summary: 'show what applying a file would change, and what that means for the counts in use',
    description:
      'Shows what applying a file of rules would change, member by member, and what that means for the counts in use. Nothing is changed. Exits with 0 if nothing differs, 1 if something does, and 2 if that could not be found out.',
    examples: [
      'brume rules diff shop.yaml',
      'brume rules diff shop.yaml --prune',
      'brume rules diff - < shop.yaml',
    ],
  })
    .argument('<file>', 'rules of a project as YAML; - reads standard input')
    .option('--prune', 'as --prune of apply');
  withAdminOptions(withProjectOption(command)).action((file: string, options: Options) => {
    session.faultExitCode = EXIT.usage;
    return session.ask(options, async (client) => {
      const rules = await readRulesInput(file, session.terminal);
      const project = await fileProject(client, rules, options);
      const json = await planOf(client, { file, rules, project, prune: options.prune === true });
      const isSame = json.items.length === 0;
      const result = isSame
        ? `Nothing would change in ${project}.`
        : `${changeText(json)}\n\nIn ${project}: ${json.summary}.`;
      const text = [result, ...expiredLines(rules, Date.now())].join('\n');
      return { json, text, exitCode: isSame ? 0 : EXIT.refused };
    });
  });
}
