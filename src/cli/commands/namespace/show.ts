import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { namespaceText } from './rule-text.ts';

export function namespaceShow(group: Command, session: Session): void {
  const command = defineCommand(group, 'show', {
    summary: 'show a namespace and its rule',
    examples: [
      'brume namespace show shop login',
      'brume namespace show shop login --json | jq .rule > login.json',
    ],
  })
    .argument('<project>', 'name or id', name)
    .argument('<namespace>', 'name', name);
  withAdminOptions(command).action((project: string, namespace: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.showNamespace(project, namespace);
      return { json, text: namespaceText(json) };
    }),
  );
}
