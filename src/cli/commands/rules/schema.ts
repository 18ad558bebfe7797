import type { Command } from 'commander';
import { rulesJsonSchema } from '../../../policy/rules/json-schema.ts';
import { defineCommand, withOutputOptions } from '../../define-command.ts';
import { printableJson } from '../../printable.ts';
import type { OutputOptions, Session } from '../../session.ts';

export function rulesSchema(group: Command, session: Session): void {
  const command = defineCommand(group, 'schema', {
    summary: 'print the JSON Schema of a file of rules, for editors',
    description:
      'Prints the JSON Schema (draft 2020-12) of a file of rules. Editors that know it (yaml-language-server) complete names and mark faults while you type.',
    examples: ['brume rules schema > rules.schema.json'],
  });
  withOutputOptions(command).action((options: OutputOptions) =>
    session.answer(options, async () => {
      const json = rulesJsonSchema();
      return { json, text: printableJson(json) };
    }),
  );
}
