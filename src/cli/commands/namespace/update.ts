import type { Command } from 'commander';
import type { Rule } from '../../../client/resources.ts';
import { collect, name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { changeRead, type ExpectOptions, expectedBy, withExpect } from '../../expect-option.ts';
import type { Session } from '../../session.ts';
import { freshNames } from './fresh-names.ts';
import { changedRule } from './rule-from-options.ts';
import { type RuleOptions, withRuleOptions } from './rule-options.ts';
import { namespaceText } from './rule-text.ts';

export function namespaceUpdate(group: Command, session: Session): void {
  const command = defineCommand(group, 'update', {
    summary: 'change the rule of a namespace',
    description:
      'Changes what the options name and leaves the rest of the rule as it is. With --rule the whole rule is replaced. Of a rule with one limit, --limit, --window, --ttl, --algorithm and --burst change it; of a rule with several, --add replaces the limit of the same name. --quota does so with a quota, whose name is its period unless it has another. What identifiers have used is kept by name: a changed number keeps it, a changed algorithm, window, period, zone or beginning starts afresh.',
    examples: [
      'brume namespace update shop login --limit 20',
      'brume namespace update shop login --on-store-failure closed',
      'brume namespace update shop api --add name=daily,limit=9000,window=1d --remove minute',
      'brume namespace update shop api --quota 30000/month,zone=Europe/Paris,day=31',
      'brume namespace update shop api --mode shadow',
      'brume namespace update shop api --rule - < ./api.json',
    ],
  })
    .argument('<project>', 'name or id', name)
    .argument('<namespace>', 'name', name)
    .option('--remove <name>', 'name of a limit or quota to take away; can be repeated', collect);
  withAdminOptions(withExpect(withRuleOptions(command))).action(
    (project: string, namespace: string, options: RuleOptions & ExpectOptions) =>
      session.ask(options, (client) =>
        changeRead(
          options,
          () => client.showNamespace(project, namespace),
          async (current, expected) => {
            const rule = await changedRule(current.rule, options, session.terminal);
            // A whole rule takes the place of whatever is there.
            const made = options.rule === undefined ? expected : expectedBy(options);
            const json = await client.updateNamespace(project, namespace, rule, made);
            const text = `Updated.${freshText(current.rule, json.rule)}\n\n${namespaceText(json)}`;
            return { json, text };
          },
        ),
      ),
  );
}

function freshText(before: Rule, after: Rule): string {
  const names = freshNames(before, after);
  if (names.length === 0) return '';
  return ` What was used of ${names.join(', ')} no longer counts: a changed algorithm, window or calendar starts afresh.`;
}
