import assert from 'node:assert/strict';
import { test } from 'node:test';
import { managementUrlOf } from '../../src/appliance/management-url.ts';
import { load } from '../config/faults-of.ts';

const TLS = { BRUME_MANAGEMENT_TLS_CERT: '/x.crt', BRUME_MANAGEMENT_TLS_KEY: '/x.key' };

test('links lead to where the management plane listens, unless another place is named', () => {
  for (const [env, url] of [
    [{}, 'http://127.0.0.1:8610'],
    [{ BRUME_MANAGEMENT_LISTEN: '127.0.0.1:8650' }, 'http://127.0.0.1:8650'],
    [{ BRUME_MANAGEMENT_LISTEN: 'localhost:8650' }, 'http://localhost:8650'],
    [{ BRUME_MANAGEMENT_LISTEN: '[::1]:8650' }, 'http://[::1]:8650'],
    [{ BRUME_MANAGEMENT_LISTEN: '10.0.0.7:443', ...TLS }, 'https://10.0.0.7:443'],
    [{ BRUME_MANAGEMENT_LISTEN: '0.0.0.0:8610', ...TLS }, 'https://node7.example.org:8610'],
    [{ BRUME_MANAGEMENT_LISTEN: '[::]:8610', ...TLS }, 'https://node7.example.org:8610'],
    [{ BRUME_MANAGEMENT_LISTEN: 'off' }, 'http://127.0.0.1:8610'],
    [
      { BRUME_MANAGEMENT_LISTEN: '127.0.0.1:8650', BRUME_MANAGEMENT_URL: 'https://brume.example.org/x' },
      'https://brume.example.org/x',
    ],
  ] as const) {
    assert.equal(
      managementUrlOf(load(env), () => 'node7.example.org'),
      url,
    );
  }
});
