import type { Command } from 'commander';
import type { Namespace } from '../../../client/resources.ts';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { type Cell, table } from '../../table.ts';
import { ruleText } from './rule-text.ts';

export function namespaceList(group: Command, session: Session): void {
  const command = defineCommand(group, 'list', {
    summary: 'list the namespaces of a project',
    examples: ['brume namespace list shop', 'brume namespace list shop --json'],
  }).argument('<project>', 'name or id', name);
  withAdminOptions(command).action((project: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const items = await client.listNamespaces(project);
      const text = items.length === 0 ? NONE : table(HEADINGS, items.map(row));
      return { json: { items }, text };
    }),
  );
}

const NONE =
  'This project has no namespaces. Create one with: brume namespace create PROJECT NAME --limit 10 --window 60s';
const HEADINGS = ['NAME', 'KIND', 'IDENTIFIED BY', 'ON STORE FAILURE', 'MODE', 'LIMITS'];

function row(namespace: Namespace): Cell[] {
  const { kind = null, identifyBy = null, onStoreFailure = null, mode = null } = namespace.rule;
  return [namespace.name, kind, identifyBy, onStoreFailure, mode, ruleText(namespace.rule)];
}
