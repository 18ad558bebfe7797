import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataDocument, managementDocument } from '../../scripts/docs/openapi/plane-documents.ts';
import { planeRoutes } from '../../scripts/docs/plane-routes.ts';

interface Answer {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, Link>>;
}
interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Document {
  readonly components: { readonly headers: Readonly<Record<string, unknown>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const ROUTES = await planeRoutes();
const DOCUMENTS: Readonly<Record<string, Document>> = {
  data: JSON.parse(await dataDocument(ROUTES)),
  management: JSON.parse(await managementDocument(ROUTES)),
};

for (const [plane, { components, paths }] of Object.entries(DOCUMENTS)) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));

  test(`${plane}: every answer says which headers it has, and each of them is described`, () => {
    for (const { operationId, responses } of operations) {
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        assert.ok('X-Request-Id' in headers, `${operationId} ${status}`);
        for (const name of Object.keys(headers)) assert.ok(name in components.headers, name);
      }
    }
  });

  test(`${plane}: links name an operation of the document, and give all parameters of its path`, () => {
    let links = 0;
    for (const { responses } of operations) {
      for (const link of Object.values(responses).flatMap((answer) => Object.values(answer.links ?? {}))) {
        links++;
        const next = operations.find(({ operationId }) => operationId === link.operationId);
        const needed = (next?.parameters ?? []).filter((one) => one.in === 'path').map(({ name }) => name);
        assert.deepEqual(Object.keys(link.parameters).sort(), needed.sort(), link.operationId);
      }
    }
    assert.ok(links >= 4, String(links));
  });
}

test('what is made, leased or reserved leads on to the calls for it', () => {
  const linked = (plane: string, path: string, status: string) =>
    DOCUMENTS[plane]?.paths[path]?.post?.responses[status]?.links ?? {};
  assert.equal(linked('data', '/v1/leases', '200').putLeasesId?.parameters.id, '$response.body#/lease/id');
  const key = linked('management', '/v1/projects/{project}/keys', '201').getProjectsProjectKeysKey;
  assert.deepEqual(key?.parameters, { project: '$request.path.project', key: '$response.body#/id' });
});

test('the forward-auth calls say that they answer with 200, and with which headers', () => {
  for (const path of ['/v1/auth/nginx/{namespace}', '/v1/auth/forward/{namespace}']) {
    const answer = DOCUMENTS.data?.paths[path]?.get?.responses['200'];
    assert.ok(answer?.headers !== undefined && 'RateLimit' in answer.headers, path);
  }
});
