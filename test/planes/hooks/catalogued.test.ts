import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodes } from 'fastify';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { catalogued } from '../../../src/planes/hooks/catalogued.ts';
import { problemOf } from '../../../src/planes/hooks/problem.ts';

test('what fastify throws at a request is in the catalogue', () => {
  for (const [name, code] of [
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'],
    ['FST_ERR_ROUTE_MISSING_CONTENT_TYPE', 'unsupported_media_type'],
    ['FST_ERR_CTP_BODY_TOO_LARGE', 'payload_too_large'],
    ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'bad_request'],
    ['FST_ERR_CTP_EMPTY_JSON_BODY', 'bad_request'],
    ['FST_ERR_CTP_INVALID_JSON_BODY', 'bad_request'],
    ['FST_ERR_BAD_URL', 'bad_request'],
    ['FST_ERR_MAX_PARAM_LENGTH', 'unknown_route'],
    ['FST_ERR_NOT_FOUND', 'unknown_route'],
  ] as const) {
    const fault = catalogued(new errorCodes[name as 'FST_ERR_NOT_FOUND']());
    assert.deepEqual([name, fault.code], [name, code]);
  }
});

test('anything else is internal, keeps its cause and says nothing of it', () => {
  for (const fault of [
    new Error('secret'),
    new errorCodes.FST_ERR_REP_ALREADY_SENT(),
    'secret',
    undefined,
    null,
  ]) {
    const error = catalogued(fault);
    assert.equal(error.code, 'internal');
    assert.equal(JSON.stringify(problemOf(error)).includes('secret'), false);
  }
  const cause = new Error('secret');
  assert.equal(catalogued(cause).cause, cause);
  const own = new BrumeError('conflict');
  assert.equal(catalogued(own), own);
});

test('a fault against a schema names the member', () => {
  const named = (instancePath: string, params: object = {}, validationContext = 'body') => {
    const validation = [{ instancePath, params }];
    return catalogued(Object.assign(new Error(), { validation, validationContext })).field;
  };
  assert.equal(named('/cost'), 'cost');
  assert.equal(named('/checks/7/namespace'), 'checks[7].namespace');
  assert.equal(named('/checks/7', { missingProperty: 'identifier' }), 'checks[7].identifier');
  assert.equal(named('', { additionalProperty: 'a' }), 'a');
  assert.equal(named('/a~1b~0c'), 'a/b~c');
  assert.equal(named(''), 'body');
  assert.equal(named('', {}, 'querystring'), 'querystring');
  assert.equal(named('', { additionalProperty: 'x'.repeat(1000) })?.length, 128);
});
