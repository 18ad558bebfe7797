import type { Command } from 'commander';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { EXIT } from '../../failure.ts';
import { type ProjectOptions, withProjectOption } from '../../project-option.ts';
import type { Session } from '../../session.ts';
import { changeText } from './change-text.ts';
import { isThere, projectToCreate } from './create-project.ts';
import { fileProject } from './file-project.ts';
import { expiredLines, firstPlan, planOf } from './plan.ts';
import { readRulesInput } from './rules-input.ts';

interface Options extends ProjectOptions {
  readonly prune?: boolean;
  readonly create?: boolean;
}

export function rulesDiff(group: Command, session: Session): void {
  const command = defineCommand(group, 'diff', {
    summary: 'show what applying a file would change, and what that means for the counts in use',
    description:
      'Shows what applying a file of rules would change, member by member, and what that means for the counts in use. Nothing is changed. Exits with 0 if nothing differs, 1 if something does, and 2 if that could not be found out.',
    examples: [
      'brume rules diff shop.yaml',
      'brume rules diff shop.yaml --prune',
      'brume rules diff shop.yaml --create',
      'brume rules diff - < shop.yaml',
    ],
  })
    .argument('<file>', 'rules of a project as YAML; - reads standard input')
    .option('--prune', 'as --prune of apply')
    .option('--create', 'if there is no project of this name, show all as new; nothing is created');
  withAdminOptions(withProjectOption(command)).action((file: string, options: Options) => {
    session.faultExitCode = EXIT.usage;
    return session.ask(options, async (client) => {
      const rules = await readRulesInput(file, session.terminal);
      const { prune = false, create = false } = options;
      const project = await (create ? projectToCreate : fileProject)(client, rules, options);
      const isNew = create && !(await isThere(client, project));
      const json = isNew
        ? firstPlan(rules, Date.now())
        : await planOf(client, { file, rules, project, prune });
      const isSame = json.items.length === 0 && !isNew;
      const created = isNew ? [`+ project ${project}`] : [];
      const result = isSame
        ? `Nothing would change in ${project}.`
        : `${[...created, changeText(json)].join('\n')}\n\nIn ${project}: ${json.summary}.`;
      const text = [result, ...expiredLines(rules, Date.now())].join('\n');
      return {
        json: create ? { ...json, isNewProject: isNew } : json,
        text,
        exitCode: isSame ? 0 : EXIT.refused,
      };
    });
  });
}
