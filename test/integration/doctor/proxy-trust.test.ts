import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type BrumeProcess, startBrume } from '../../support/brume-process.ts';
import { type NginxServer, startNginx } from '../../support/nginx-server.ts';
import { assertFailure, diagnose, told } from './diagnosis.ts';

/** What a proxy may do with the header that its client sent. */
const FORWARDED = {
  set: 'proxy_set_header X-Forwarded-For $remote_addr;',
  added: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
  passed: 'proxy_set_header X-Forwarded-For $http_x_forwarded_for;',
  'taken from another': 'proxy_set_header X-Forwarded-For $http_x_real_ip;',
};

describe('brume doctor --through', { timeout: 300_000 }, () => {
  let brume: BrumeProcess;
  let socket: string;
  let key: string;
  const closing: (() => Promise<unknown>)[] = [];

  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'brume-'));
    closing.push(() => rm(directory, { recursive: true }));
    socket = join(directory, 'brume.sock');
    // The proxy comes by the socket, whose users are trusted; the loopback, from which doctor comes, is not.
    brume = await startBrume({ BRUME_SOCKET: socket, BRUME_TRUSTED_PROXIES: 'none' });
    closing.push(() => brume.stop());
    await brume.json('project', 'create', 'shop');
    await brume.json(
      'namespace',
      'create',
      'shop',
      'login',
      '--kind',
      'ip',
      '--limit',
      '1000',
      '--window',
      '1h',
    );
    key = ((await brume.json('key', 'create', 'shop', 'nginx', '--scope', 'limit')) as { key: string }).key;
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  async function proxy(directive: string): Promise<NginxServer> {
    const nginx = await startNginx({
      http: `upstream brume { server unix:${socket}; }`,
      // Not by `return`, which comes before auth_request.
      server: `location / { auth_request /_ask; root /nowhere; }
        location = /_ask { internal; ${directive} proxy_set_header X-Brume-Key ${key}; proxy_pass_request_body off;
          proxy_set_header Content-Length ""; proxy_pass http://brume/v1/auth/nginx/login; }`,
    });
    closing.push(() => nginx.stop());
    return nginx;
  }

  for (const directive of ['set', 'added'] as const) {
    test(`a proxy by which the header is ${directive} is told to be right`, async () => {
      const { url } = await proxy(FORWARDED[directive]);
      const diagnosis = await diagnose(brume.settings, { args: ['--through', `${url}/login`] });
      const [finding] = told(diagnosis, 'proxy-trust');
      assert.equal(finding?.state, 'ok', finding?.text);
      assert.match(finding?.text ?? '', /not believed; 127\.0\.0\.1 was counted in login of shop/);
    });
  }

  for (const [directive, header] of [
    ['passed', 'X-Forwarded-For'],
    ['taken from another', 'X-Real-IP'],
  ] as const) {
    test(`a proxy by which the header is ${directive} is told to let clients choose`, async () => {
      const { url } = await proxy(FORWARDED[directive]);
      const diagnosis = await diagnose(brume.settings, { args: ['--through', `${url}/login`] });
      assertFailure(
        diagnosis,
        'proxy-trust',
        new RegExp(`writing ${header};.* counted so in login of shop`),
        /proxy_set_header X-Forwarded-For \$remote_addr/,
      );
    });
  }

  test('a word that counts, since it is a proxy’s own, is no forgery', async () => {
    const { url } = await proxy(FORWARDED.passed);
    const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
    const trusted = ['127.0.0.0/8', ...own.map(({ address }) => address.replace(/%.*/, ''))].join(',');
    const settings = { ...brume.settings, BRUME_TRUSTED_PROXIES: trusted };
    const [finding] = told(await diagnose(settings, { args: ['--through', `${url}/login`] }), 'proxy-trust');
    assert.equal(finding?.state, 'unseen');
    assert.match(finding?.text ?? '', /own addresses are among BRUME_TRUSTED_PROXIES/);
  });

  test('a page about which Brume is not asked proves nothing, and says so', async () => {
    const nginx = await startNginx({ server: 'location / { return 204; }' });
    closing.push(() => nginx.stop());
    const [finding] = told(await diagnose(brume.settings, { args: ['--through', nginx.url] }), 'proxy-trust');
    assert.equal(finding?.state, 'unseen');
    assert.match(finding?.text ?? '', /answered with 204, and neither .* were counted/);
  });

  test('a proxy that is not there proves nothing', async () => {
    const [finding] = told(
      await diagnose(brume.settings, { args: ['--through', 'http://127.0.0.1:1/'] }),
      'proxy-trust',
    );
    assert.equal(finding?.state, 'unseen');
    assert.match(finding?.text ?? '', /ECONNREFUSED/);
  });

  test('without --through it says that nothing was tried, and how to', async () => {
    const [finding] = told(await diagnose(brume.settings), 'proxy-trust');
    assert.equal(finding?.state, 'unseen');
    assert.match(finding?.remedy ?? '', /--through/);
  });
});
