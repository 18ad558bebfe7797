import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import {
  INVITATION_PAGE,
  INVITATION_SCRIPT,
} from '../../../../src/planes/management/identity/invitation-page.ts';
import { startManagementPlane } from '../plane-harness.ts';

const PASSWORD = 'correct horse battery';
const SECRET = `brume_in_${'s'.repeat(43)}`;

/** As much of an element as the page's script touches. */
class FakeElement {
  value = '';
  textContent = '';
  type = 'password';
  hidden = true;
  disabled = false;
  checked = false;
  isGone = false;
  hasFocus = false;
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, (event: unknown) => void>();
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  addEventListener(name: string, listener: (event: unknown) => void): void {
    this.listeners.set(name, listener);
  }
  focus(): void {
    this.hasFocus = true;
  }
  reset(): void {}
  remove(): void {
    this.isGone = true;
  }
}

interface Sent {
  readonly url: string;
  readonly init: { readonly method: string; readonly body: string };
}

type Reply = { status: number; body: unknown; retryAfter?: string } | 'no answer';

/** The page's script in a browser that is none, at `hash`. */
function open(hash: string, reply: Reply = { status: 200, body: { login: 'anna' } }) {
  const ids = [...INVITATION_PAGE.matchAll(/ id="([a-z]+)"/g)].map(([, id]) => String(id));
  const elements = new Map(ids.map((id) => [id, new FakeElement()]));
  const element = (id: string): FakeElement => {
    const found = elements.get(id);
    assert.ok(found, `the page has no element ${id}`);
    return found;
  };
  const location = { hash, pathname: '/brume/invitation' };
  const addresses: string[] = [];
  const sent: Sent[] = [];
  const page = {
    document: { getElementById: element },
    location,
    history: { replaceState: (_: null, __: string, url: string) => void addresses.push(url) },
    addEventListener: () => undefined,
    fetch: async (url: string, init: Sent['init']) => {
      sent.push({ url, init });
      if (reply === 'no answer') throw new TypeError('network');
      const { status, body, retryAfter = null } = reply;
      return { status, ok: status < 400, json: async () => body, headers: { get: () => retryAfter } };
    },
  };
  runInContext(INVITATION_SCRIPT, createContext(page));
  const submit = async (password: string, again = password) => {
    element('password').value = password;
    element('again').value = again;
    let isPrevented = false;
    element('form').listeners.get('submit')?.({
      preventDefault: () => {
        isPrevented = true;
      },
    });
    assert.ok(isPrevented, 'the form itself goes nowhere');
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    return element('message').textContent;
  };
  return { element, addresses, sent, submit };
}

test('the link of an invitation leads to a page under the strict policy, which nobody keeps or frames', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  await user('anna', {});
  const { json } = await call('POST', '/v1/users/anna/invitations', { as: 'olga' });
  const { pathname, search, hash } = new URL(String(json.url));
  assert.deepEqual([pathname, search, hash], ['/invitation', '', `#${json.token}`]);
  for (const [path, type] of [
    [pathname, /^text\/html; charset=utf-8/],
    ['/invitation/page.js', /^text\/javascript/],
    ['/invitation/page.css', /^text\/css/],
  ] as const) {
    const { status, headers } = await call('GET', path);
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), type);
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'.*script-src 'self'.*form-action 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  }
  assert.equal((await call('GET', '/invitation/none.js')).status, 404);
  assert.equal((await call('POST', '/invitation', { body: {} })).status, 405);
});

test('the page has nothing inline or from elsewhere, a label for each field, and finds its files from where it is', async (t) => {
  assert.doesNotMatch(INVITATION_PAGE, /<script(?![^>]*src=)|<style|\son[a-z]+=|style=|https?:|action=/);
  assert.match(INVITATION_PAGE, /<html lang="en">/);
  assert.match(INVITATION_PAGE, /<title>[^<]+<\/title>/);
  for (const [, id] of INVITATION_PAGE.matchAll(/<input id="([a-z]+)"/g)) {
    assert.ok(INVITATION_PAGE.includes(`<label for="${id}">`), `${id} has a label`);
  }
  assert.match(INVITATION_PAGE, /id="message"[^>]*role="alert"/);
  assert.match(INVITATION_PAGE, /<noscript>/);
  const { call } = await startManagementPlane(t);
  const at = new URL('http://127.0.0.1/invitation');
  const files = [...INVITATION_PAGE.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(
    ([, path]) => new URL(String(path), at).pathname,
  );
  assert.deepEqual(files, ['/invitation/page.css', '/invitation/page.js']);
  for (const path of files) assert.equal((await call('GET', path)).status, 200, path);
});

test('the secret leaves the address at once, and is posted, in no URL, to the route beside the page', async () => {
  const { addresses, sent, submit, element } = open(`#${SECRET}`);
  assert.deepEqual(addresses, ['/brume/invitation']);
  assert.equal(element('form').hidden, false);
  assert.match(await submit(PASSWORD), /The password of anna is set, and this link is used up/);
  const [{ url = '', init = undefined } = {}] = sent;
  assert.equal(
    new URL(url, 'https://example.org/brume/invitation').href,
    'https://example.org/brume/v1/invitations/accept',
  );
  assert.equal(init?.method, 'POST');
  assert.deepEqual(JSON.parse(init?.body ?? ''), { token: SECRET, password: PASSWORD });
  assert.ok(element('form').isGone);
});

test('what the page sends is what the plane takes, and what the plane refuses is what the page says', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  await user('anna', {});
  const { json } = await call('POST', '/v1/users/anna/invitations', { as: 'olga' });
  const { sent, submit } = open(`#${json.token}`);
  await submit(PASSWORD);
  const body = JSON.parse(sent[0]?.init.body ?? '');
  const taken = await call('POST', '/v1/invitations/accept', { body });
  assert.deepEqual([taken.status, taken.json], [200, { login: 'anna' }]);
  const again = await call('POST', '/v1/invitations/accept', { body });
  const refused = open(`#${json.token}`, { status: again.status, body: JSON.parse(again.body) });
  assert.match(
    await refused.submit(PASSWORD),
    /used, replaced by a newer one, is older than 24 hours, or whoever made it may not do so any more/,
  );
});

test('whoever is refused sees why, at the field that it is about, and can try again', async () => {
  const local = open(`#${SECRET}`);
  assert.match(await local.submit('too short'), /12 to 256 characters; this one has 9/);
  assert.equal(local.element('password').attributes.get('aria-invalid'), 'true');
  assert.match(await local.submit('🔑'.repeat(11)), /this one has 11/);
  assert.match(await local.submit(PASSWORD, 'another password'), /not the same/);
  assert.equal(local.element('password').attributes.size, 0);
  assert.ok(local.element('again').hasFocus);
  assert.deepEqual(local.sent, [], 'nothing was sent');

  const throttled = open(`#${SECRET}`, { status: 429, body: { code: 'throttled_sign_in' }, retryAfter: '7' });
  assert.match(await throttled.submit(PASSWORD), /too many attempts.*in 7 seconds/);
  assert.equal(throttled.element('send').disabled, false);
  const detail = 'The password is not valid Unicode.';
  const bad = open(`#${SECRET}`, { status: 400, body: { code: 'bad_request', field: 'password', detail } });
  assert.equal(await bad.submit(PASSWORD), detail);
  assert.match(await open(`#${SECRET}`, 'no answer').submit(PASSWORD), /did not answer.*nobody knows/);
  assert.match(await open(`#${SECRET}`, { status: 502, body: {} }).submit(PASSWORD), /\(502\)/);
});

test('without the part behind "#" the page says so, and shows no form', () => {
  const { element } = open('');
  assert.match(element('message').textContent, /behind # is missing/);
  assert.equal(element('message').hidden, false);
  assert.equal(element('form').hidden, true);
});
