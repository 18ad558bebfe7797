import type { Command } from 'commander';
import type { ExportedRules } from '../../../client/rules.ts';
import { writeWholeFile } from '../../../operations/whole-file.ts';
import { exportText } from '../../../policy/rules/export-text.ts';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { projectOf } from '../../project-option.ts';
import type { AdminOptions, Session } from '../../session.ts';

interface Options extends AdminOptions {
  readonly output?: string;
}

export function rulesExport(group: Command, session: Session): void {
  const command = defineCommand(group, 'export', {
    summary: "write a project's rules as a file",
    description:
      "Writes a project's rules as YAML, always in the same order. Applying it to the same project changes nothing. Blocks, exemptions and overrides that have expired are left out.",
    examples: ['brume rules export shop > shop.yaml', 'brume rules export shop -o shop.yaml'],
  })
    .argument('[project]', 'name or id (default: the only one there is)', name)
    .option(
      '-o, --output <file>',
      'write to this file, in place of what it holds; if that fails, it holds what it held',
      name,
    );
  withAdminOptions(command).action((project: string | undefined, options: Options) =>
    session.ask(options, async (client) => {
      const named = project === undefined ? {} : { project };
      const json = await client.rules.export(await projectOf(client, { ...options, ...named }));
      const text = exportText(json);
      if (options.output === undefined) return { json, text: text.trimEnd() };
      await writeWholeFile(options.output, (file) => file.writeFile(text));
      return { json: { ...rest(json), output: options.output }, text: `Written to ${options.output}.` };
    }),
  );
}

function rest({ revision, leftOut }: ExportedRules) {
  return { revision, leftOut };
}
