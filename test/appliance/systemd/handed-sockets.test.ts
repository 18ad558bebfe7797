import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BoundAddress } from '../../../src/appliance/systemd/bound-address.ts';
import { handedSockets } from '../../../src/appliance/systemd/handed-sockets.ts';
import { ConfigError } from '../../../src/config/config-error.ts';

const DATA = { host: '127.0.0.1', port: 8600 };
const MANAGEMENT = { host: '127.0.0.1', port: 8610 };
const CONFIG = { listen: DATA, managementListen: MANAGEMENT };

type Handed = readonly (readonly [name: string, address: BoundAddress | undefined])[];

function handed(
  sockets: Handed,
  { config = CONFIG as Parameters<typeof handedSockets>[0], areDemanded = true } = {},
) {
  const manager = { sockets: sockets.map(([name], at) => ({ name, fd: at + 3 })) };
  return handedSockets(config, manager, { areDemanded, addressOf: (fd) => sockets[fd - 3]?.[1] });
}

/** Of each fault the variable and its text. */
function faults(sockets: Handed, config?: Parameters<typeof handedSockets>[0]): string[] {
  try {
    handed(sockets, config && { config });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ variable, problem, remedy }) => `${variable ?? '-'}: ${problem}. ${remedy}`);
  }
  return [];
}

test('each socket goes to the plane of its name', () => {
  assert.deepEqual(
    handed([
      ['admin', { path: '/run/brume/admin.sock' }],
      ['data', { path: '/run/brume/brume.sock' }],
      ['management', MANAGEMENT],
      ['data', DATA],
    ])?.map(({ plane, fd }) => [plane, fd]),
    [
      ['admin', 3],
      ['data', 4],
      ['management', 5],
      ['data', 6],
    ],
  );
});

test('without any, a process that demands none opens its own, and one that does is refused with what to do', () => {
  assert.equal(handed([], { areDemanded: false }), undefined);
  const [fault, ...others] = faults([]);
  assert.match(fault ?? '', /no socket of the data plane.*systemctl start brume.*brume\.socket/);
  assert.deepEqual(others, []);
});

test('the other sockets do not make up for that of the data plane', () => {
  assert.match(
    faults([['admin', { path: '/run/brume/admin.sock' }]])[0] ?? '',
    /no socket of the data plane/,
  );
});

test('the management plane and the admin socket may be left out', () => {
  assert.equal(handed([['data', DATA]])?.length, 1);
});

test('a name that no plane has is refused, and so is what does not listen', () => {
  assert.match(faults([['brume.socket', DATA]])[0] ?? '', /"brume\.socket".*data, management, admin/);
  assert.match(faults([['data', undefined]])[0] ?? '', /no listening stream socket.*Accept/);
});

test('systemd and the configuration must agree on where the planes are', () => {
  const listen = { host: '0.0.0.0', port: 8600 };
  assert.match(
    faults([['data', DATA]], { ...CONFIG, listen })[0] ?? '',
    /^BRUME_LISTEN: it is 0\.0\.0\.0:8600, but systemd listens on 127\.0\.0\.1:8600\. .*systemctl edit brume\.socket/,
  );
  const wide = { host: '::', port: 8610 };
  assert.match(
    faults([
      ['data', DATA],
      ['management', wide],
    ])[0] ?? '',
    /^BRUME_MANAGEMENT_LISTEN: it is 127\.0\.0\.1:8610, but systemd listens on \[::\]:8610/,
  );
  assert.match(
    faults(
      [
        ['data', DATA],
        ['management', MANAGEMENT],
      ],
      { ...CONFIG, managementListen: null },
    )[0] ?? '',
    /^BRUME_MANAGEMENT_LISTEN: it is off.*systemctl mask --now brume-management\.socket/,
  );
});

test('one address of the management plane that was not configured is enough to be refused', () => {
  const sockets: Handed = [
    ['data', DATA],
    ['management', MANAGEMENT],
    ['management', { host: '0.0.0.0', port: 8611 }],
  ];
  assert.match(faults(sockets)[0] ?? '', /^BRUME_MANAGEMENT_LISTEN/);
});

test('of several addresses of the data plane the configuration names one', () => {
  assert.equal(
    handed([
      ['data', { host: '10.0.0.1', port: 8600 }],
      ['data', DATA],
    ])?.length,
    2,
  );
});

test('an address may be written in any way, and localhost is a loopback one', () => {
  const config = {
    listen: { host: 'localhost', port: 8600 },
    managementListen: { host: '0:0:0:0:0:0:0:1', port: 8610 },
  };
  const sockets: Handed = [
    ['data', DATA],
    ['management', { host: '::1', port: 8610 }],
  ];
  assert.deepEqual(faults(sockets, config), []);
});
