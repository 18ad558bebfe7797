import type { ApiClient } from '../../../client/api-client.ts';
import type { RulesFile } from '../../../policy/rules/rules-file.ts';
import { type ProjectOptions, projectOf } from '../../project-option.ts';
import { UsageError } from '../../usage-error.ts';

/** The project that the file is about: as it says, else as --project says, else the only one. */
export async function fileProject(
  client: ApiClient,
  { project: named }: RulesFile,
  options: ProjectOptions,
): Promise<string> {
  if (named === undefined) return projectOf(client, options);
  if (options.project !== undefined && options.project !== named) {
    throw new UsageError(
      `The file is about the project ${named}, and --project says ${options.project}. Leave one of them out.`,
    );
  }
  return named;
}
