import type { ApiClient } from '../../../client/api-client.ts';
import { ApiError } from '../../../client/api-error.ts';
import type { RulesFile } from '../../../policy/rules/rules-file.ts';
import type { ProjectOptions } from '../../project-option.ts';
import { UsageError } from '../../usage-error.ts';
import { fileProject } from './file-project.ts';

/** The project that the file is about, which is created if there is none of this name. */
export async function createProjectIfMissing(
  client: ApiClient,
  rules: RulesFile,
  options: ProjectOptions & { readonly organisation?: string },
): Promise<string> {
  const project = await projectToCreate(client, rules, options);
  if (await isThere(client, project)) return project;
  const { organisation } = options;
  await client.createProject(project, { ...(organisation !== undefined && { organisation }) });
  return project;
}

/** The project that the file is about, which may not be there yet. */
export async function projectToCreate(
  client: ApiClient,
  rules: RulesFile,
  options: ProjectOptions,
): Promise<string> {
  if (rules.project === undefined && options.project === undefined) {
    throw new UsageError('Say which project to create: with project: NAME in the file, or --project NAME.');
  }
  return fileProject(client, rules, options);
}

export async function isThere(client: ApiClient, project: string): Promise<boolean> {
  try {
    await client.showProject(project);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'unknown_project') throw error;
    return false;
  }
}
