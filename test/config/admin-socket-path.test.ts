import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { adminSocketPath } from '../../src/config/admin-socket-path.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('the admin socket comes from the environment, then the file, then the default', (t) => {
  const defaultFile = join(temporaryDirectory(t), 'brume.conf');
  assert.equal(adminSocketPath({ env: {}, defaultFile }), '/run/brume/admin.sock');
  writeFileSync(defaultFile, 'BRUME_ADMIN_SOCKET=/srv/a.sock\nUNKNOWN=1\n');
  assert.equal(adminSocketPath({ env: {}, defaultFile }), '/srv/a.sock');
  assert.equal(adminSocketPath({ env: { BRUME_ADMIN_SOCKET: '/tmp/b.sock' }, defaultFile }), '/tmp/b.sock');
});

test('a wrong admin socket is a fault of configuration that names its place', (t) => {
  const defaultFile = join(temporaryDirectory(t), 'brume.conf');
  writeFileSync(defaultFile, '\nBRUME_ADMIN_SOCKET=a.sock\n');
  assert.throws(() => adminSocketPath({ env: { BRUME_ADMIN_SOCKET: '' }, defaultFile }), ConfigError);
  assert.throws(() => adminSocketPath({ env: {}, defaultFile }), /line 2/);
});
