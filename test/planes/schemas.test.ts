import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { planeRoutes } from '../../scripts/docs/plane-routes.ts';
import { CONFIG_SCHEMA } from '../../src/config/schema.ts';

/** The planes and the configuration take that for granted. */
const ajv = new Ajv({ allErrors: true });

for (const [plane, routes] of Object.entries(await planeRoutes())) {
  test(`every schema of the ${plane} plane is one by the schema of schemas`, () => {
    let count = 0;
    for (const { method, url, schema = {} } of routes) {
      const { body, querystring, params, headers, response = {} } = schema;
      for (const each of [body, querystring, params, headers, ...Object.values(response)]) {
        if (each === undefined) continue;
        count++;
        assert.equal(ajv.validateSchema(Object(each)), true, `${method} ${url}: ${ajv.errorsText()}`);
      }
    }
    assert.ok(count > routes.length);
  });
}

test('the schema of the configuration is one by the schema of schemas', () => {
  assert.equal(ajv.validateSchema(CONFIG_SCHEMA), true, ajv.errorsText());
});
