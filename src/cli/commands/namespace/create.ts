import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { newRule } from './rule-from-options.ts';
import { type RuleOptions, withRuleOptions } from './rule-options.ts';
import { namespaceText } from './rule-text.ts';

export function namespaceCreate(group: Command, session: Session): void {
  const command = defineCommand(group, 'create', {
    summary: 'create a namespace with its rule',
    examples: [
      'brume namespace create shop login --limit 10 --window 60s --kind ip',
      'brume namespace create shop api --limit 100 --window 1m --algorithm gcra --burst 20 --identify-by header:X-User',
      'brume namespace create shop api --add name=minute,limit=60,window=1m --add name=daily,limit=5000,window=1d',
      'brume namespace create shop api --quota 20000/month',
      'brume namespace create shop api --limit 10 --window 1s --algorithm token_bucket --quota limit=20000,period=month,zone=Europe/Paris,day=31',
      'brume namespace create shop jobs --limit 3 --algorithm concurrency --ttl 30s',
      'brume namespace create shop api --rule ./api.json',
    ],
  })
    .argument('<project>', 'name or id', name)
    .argument('<name>', 'a-z, 0-9, ".", "_" and "-", at most 64 characters', name);
  withAdminOptions(withRuleOptions(command)).action(
    (project: string, namespace: string, options: RuleOptions) =>
      session.ask(options, async (client) => {
        const rule = await newRule(options, session.terminal);
        const json = await client.createNamespace(project, namespace, rule);
        return { json, text: `Created.\n\n${namespaceText(json)}` };
      }),
  );
}
