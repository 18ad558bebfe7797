import type { Command } from 'commander';
import type { ApiClient } from '../../../client/api-client.ts';
import { ApiError } from '../../../client/api-error.ts';
import type { AppliedRules } from '../../../client/rules.ts';
import { name, wholeNumber } from '../../arguments.ts';
import { withYes } from '../../confirm-delete.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { EXIT } from '../../failure.ts';
import { type ProjectOptions, withProjectOption } from '../../project-option.ts';
import { DEFAULT_ORGANISATION } from '../../role.ts';
import type { Answer, Session } from '../../session.ts';
import { UsageError } from '../../usage-error.ts';
import { changeText } from './change-text.ts';
import { confirmRemovals } from './confirm-removals.ts';
import { createProjectIfMissing } from './create-project.ts';
import { fileProject } from './file-project.ts';
import { expiredLines, type Planned, planOf } from './plan.ts';
import { namingPlaces, readRulesInput } from './rules-input.ts';

interface Options extends ProjectOptions {
  readonly prune?: boolean;
  readonly create?: boolean;
  readonly organisation?: string;
  readonly expect?: number;
  readonly yes?: boolean;
}

/** So often a plan is made anew because somebody else has changed the project meanwhile. */
const ATTEMPTS_MAX = 3;

export function rulesApply(group: Command, session: Session): void {
  const command = defineCommand(group, 'apply', {
    summary: "make a project's rules those of a file",
    description:
      'Makes the rules of a project those of a file: all of it in one change, or none. Namespaces and sections (blocks, exemptions, overrides) that the file does not have stay as they are, and so do entries that a section does not have, unless --prune removes them. Before anything is removed it asks. What was used stays used as far as brume rules diff says so.',
    examples: [
      'brume rules apply shop.yaml',
      'brume rules apply shop.yaml --prune --yes',
      'brume rules apply shop.yaml --expect 41',
      'brume rules apply - --create < shop.yaml',
    ],
  })
    .argument('<file>', 'rules of a project as YAML; - reads standard input')
    .option(
      '--prune',
      'remove namespaces that the file does not have, and entries that the sections of the file do not have',
    )
    .option('--create', 'create the project if there is none of this name')
    .option(
      '--organisation <organisation>',
      `for --create: whose it is (default: ${DEFAULT_ORGANISATION})`,
      name,
    )
    .option('--expect <revision>', "refuse if the project's last change is another one", wholeNumber);
  withYes(withAdminOptions(withProjectOption(command))).action((file: string, options: Options) =>
    session.ask(options, async (client) => {
      if (options.organisation !== undefined && options.create !== true) {
        throw new UsageError('--organisation goes with --create.');
      }
      const rules = await readRulesInput(file, session.terminal);
      const project = options.create
        ? await createProjectIfMissing(client, rules, options)
        : await fileProject(client, rules, options);
      const { prune = false, expect } = options;
      const planned = {
        file,
        rules,
        project,
        prune,
        ...(expect !== undefined && { expectedRevision: expect }),
      };
      return applied(client, session, planned, options);
    }),
  );
}

/** Only what was looked at is done: if the project changes in between, it is looked at anew. */
async function applied(
  client: ApiClient,
  session: Session,
  planned: Planned,
  options: Options,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const plan = await planOf(client, planned);
    if (plan.items.length === 0) return unchanged(planned, plan);
    if (!(await confirmRemovals(session.terminal, plan, options))) return NOT_APPLIED;
    try {
      const { file, rules, project, prune } = planned;
      const call = client.rules.apply(project, rules.json, { prune, expectedRevision: plan.revision });
      return done(planned, await namingPlaces(file, rules, call));
    } catch (error) {
      const isOvertaken = error instanceof ApiError && error.code === 'revision_conflict';
      if (!isOvertaken || planned.expectedRevision !== undefined || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

const NOT_APPLIED: Answer = {
  json: { applied: false },
  text: 'Nothing was changed.',
  exitCode: EXIT.refused,
};

function unchanged({ project, rules }: Planned, json: AppliedRules): Answer {
  const text = `Nothing to change: ${project} has these rules already, at revision ${json.revision}.`;
  return { json, text: [text, ...expiredLines(rules, Date.now())].join('\n') };
}

function done({ project, rules }: Planned, json: AppliedRules): Answer {
  const result = `Applied to ${project} as revision ${json.revision}: ${json.summary}.`;
  return { json, text: [changeText(json), '', result, ...expiredLines(rules, Date.now())].join('\n') };
}
