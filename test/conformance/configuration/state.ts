import type { ConfigurationStores } from './stores.ts';

/** All that decides in a project, and with which ids; without the versions, which only ever rise. */
export async function stateOf(stores: ConfigurationStores, projectId: string): Promise<unknown> {
  const namespaces = await stores.policy.listNamespaces(projectId);
  return Promise.all(
    namespaces.map(async ({ id, name, rule, createdAtMs }) => ({
      id,
      name,
      rule,
      createdAtMs,
      exceptions: (await stores.exceptions.listExceptions(id, { pageSize: 1000 })).items.map(
        ({ version: _, ...exception }) => exception,
      ),
    })),
  );
}
