import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, load } from './faults-of.ts';

const endpoint = { BRUME_OTLP_ENDPOINT: 'http://collector.example.org:4318' };

test('headers for the collector are pairs, percent-encoded', () => {
  const { otlpHeaders } = load({
    ...endpoint,
    BRUME_OTLP_HEADERS: 'Authorization=Bearer%20a=b, x-y = 1%2C2',
  });
  assert.deepEqual(otlpHeaders, { authorization: 'Bearer a=b', 'x-y': '1,2' });
});

test('a fault in the headers says where, and repeats nothing of them', () => {
  for (const text of [
    'hush',
    'a=1,hush',
    'a=1,=hush',
    'a=1,b=%0Ahush',
    'a=1,b=%hush',
    'a=1,A=hush',
    'a=1,b=',
  ]) {
    const faults = faultsOf({ ...endpoint, BRUME_OTLP_HEADERS: text });
    assert.equal(faults.length, 1, text);
    assert.match(JSON.stringify(faults), /BRUME_OTLP_HEADERS.*header [12] of the list/);
    assert.doesNotMatch(JSON.stringify(faults), /hush/);
  }
});

test('headers without an endpoint are a mistake', () => {
  assert.match(JSON.stringify(faultsOf({ BRUME_OTLP_HEADERS: 'a=b' })), /BRUME_OTLP_ENDPOINT is not set/);
});

test('the sample is a number from 0 to 1 in plain decimals', () => {
  const sampleOf = (text: string) => load({ BRUME_TRACE_SAMPLE: text }).traceSample;
  assert.deepEqual(['0', '1', '0.01', '1.0', '0.000001'].map(sampleOf), [0, 1, 0.01, 1, 0.000001]);
  for (const text of ['', ' ', '1.1', '-0', '.5', '1e-3', '10', '1%', 'NaN', '00.1']) {
    assert.equal(faultsOf({ BRUME_TRACE_SAMPLE: text }).length, 1, text);
  }
});

test('the endpoint is a web address without credentials', () => {
  for (const text of ['collector:4318', 'grpc://a:4317', 'http://u:p@a', 'http://a?b']) {
    assert.equal(faultsOf({ BRUME_OTLP_ENDPOINT: text }).length, 1, text);
  }
});
