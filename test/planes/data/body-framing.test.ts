import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type RawConnection, rawConnection } from '../../appliance/fakes.ts';
import { heapUsed } from '../../support/heap-used.ts';
import { type PlaneHarness, startPlane, window } from './plane-harness.ts';

const MB = 1_048_576;

async function framed(t: TestContext): Promise<PlaneHarness> {
  return startPlane(t, { namespaces: { api: window(1000) } });
}

function head(plane: PlaneHarness, ...lines: string[]): string {
  return [
    'POST /v1/limit HTTP/1.1',
    'Host: b',
    `X-API-Key: ${plane.key}`,
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n');
}

/** A request that would be admitted, were it taken for one. */
function followUp(plane: PlaneHarness): string {
  const body = JSON.stringify({ namespace: 'api', identifier: 'smuggled' });
  return head(plane, `Content-Length: ${body.length}`) + body;
}

function chunked(bytes: number, chunkBytes = 65_536): string {
  const chunk = `${chunkBytes.toString(16)}\r\n${'x'.repeat(chunkBytes)}\r\n`;
  return `${chunk.repeat(Math.ceil(bytes / chunkBytes))}0\r\n\r\n`;
}

/** Sends it in one piece and a follow-up behind it; the status lines that came until the connection closed. */
async function answersTo(t: TestContext, plane: PlaneHarness, text: string | Buffer): Promise<string[]> {
  const line = await rawConnection(t, { port: plane.port });
  line.socket.write(text);
  line.send(followUp(plane));
  await line.closed;
  assertClosing(line);
  return line.received.match(/HTTP\/1\.1 \d+/g) ?? [];
}

function assertClosing({ received }: RawConnection): void {
  assert.match(received, /\r\nconnection: close\r\n/i);
}

test('B49: a body that is too large without saying so is 413, and nothing behind it is answered', async (t) => {
  const plane = await framed(t);
  assert.deepEqual(await answersTo(t, plane, head(plane, 'Transfer-Encoding: chunked') + chunked(5 * MB)), [
    'HTTP/1.1 413',
  ]);
  assert.deepEqual(
    await answersTo(
      t,
      plane,
      head(plane, 'Transfer-Encoding: chunked').replace('/v1/limit', '/v1/limit/batch') + chunked(5 * MB),
    ),
    ['HTTP/1.1 413'],
  );
  assert.equal(plane.checks.length, 0);
});

test('B49: a packed body is not unpacked, whatever it would become', async (t) => {
  const plane = await framed(t);
  const bomb = gzipSync(Buffer.alloc(50 * MB, ' '));
  const before = await heapUsed();
  for (const encoding of ['gzip', 'deflate', 'br', 'gzip, identity', 'x-gzip'])
    assert.deepEqual(
      await answersTo(
        t,
        plane,
        Buffer.concat([
          Buffer.from(head(plane, `Content-Encoding: ${encoding}`, `Content-Length: ${bomb.length}`)),
          bomb,
        ]),
      ),
      ['HTTP/1.1 415'],
      encoding,
    );
  assert.ok((await heapUsed()) - before < 8 * MB);
  assert.equal(plane.checks.length, 0);
});

test('B49: framing that two readers could take differently is 400, and nothing behind it is answered', async (t) => {
  const plane = await framed(t);
  const body = JSON.stringify({ namespace: 'api', identifier: 'ann' });
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const plain = head(plane, `Content-Length: ${body.length}`) + body;
  const cases: Readonly<Record<string, string>> = {
    'both lengths': head(plane, `Content-Length: ${body.length}`, 'Transfer-Encoding: chunked') + chunk,
    'both lengths, the other way': head(plane, 'Transfer-Encoding: chunked', 'Content-Length: 0') + chunk,
    'chunked is not the last coding': head(plane, 'Transfer-Encoding: chunked, identity') + chunk,
    'no chunked at all': head(plane, 'Transfer-Encoding: identity') + body,
    'an unknown coding': head(plane, 'Transfer-Encoding: xchunked') + chunk,
    'a long chunk extension':
      head(plane, 'Transfer-Encoding: chunked') + chunk.replace('\r\n', `;${'e'.repeat(65_536)}\r\n`),
    'two lengths': head(plane, `Content-Length: ${body.length}`, 'Content-Length: 1') + body,
    'a list of lengths': head(plane, `Content-Length: ${body.length}, ${body.length}`) + body,
    'a signed length': head(plane, `Content-Length: +${body.length}`) + body,
    'a length beyond counting': head(plane, 'Content-Length: 99999999999999999999') + body,
    'bare line feeds': plain.replaceAll('\r\n', '\n'),
    'one bare line feed': plain.replace('Host: b\r\n', 'Host: b\n'),
    'a bare line feed after a chunk size':
      head(plane, 'Transfer-Encoding: chunked') + chunk.replace('\r\n', '\n'),
    'a chunk longer than it says': `${head(plane, 'Transfer-Encoding: chunked')}1\r\n${body}\r\n0\r\n\r\n`,
    'a chunk size that is none': `${head(plane, 'Transfer-Encoding: chunked')}0x5\r\n${body}\r\n0\r\n\r\n`,
    'a blank before a colon': plain.replace('Host:', 'Host :'),
    'a folded header': plain.replace('Host: b\r\n', 'Host: b\r\nX-A: 1\r\n 2\r\n'),
    'a NUL in a header': plain.replace('Host: b', 'Host: b\0'),
    'a version that is none': plain.replace('HTTP/1.1', 'HTTP/9.9'),
  };
  for (const [name, text] of Object.entries(cases)) {
    assert.deepEqual([name, ...(await answersTo(t, plane, text))], [name, 'HTTP/1.1 400']);
    assert.deepEqual([name, ...plane.checks.map(({ identifier }) => identifier)], [name]);
  }
});

test('B49: trailers are read past, and the next request is the next', async (t) => {
  const plane = await framed(t);
  const body = JSON.stringify({ namespace: 'api', identifier: 'ann' });
  const line = await rawConnection(t, { port: plane.port });
  line.send(
    `${head(plane, 'Transfer-Encoding: chunked')}${body.length.toString(16)};ext=1\r\n${body}\r\n0\r\nX-API-Key: x\r\n\r\n${followUp(plane)}`,
  );
  await line.until('smuggled');
  assert.deepEqual(
    plane.checks.map(({ identifier }) => identifier),
    ['ann', 'smuggled'],
  );
});

test('B49: a flood of bodies that are too large leaves memory as it is', async (t) => {
  const plane = await framed(t);
  const large = head(plane, 'Transfer-Encoding: chunked') + chunked(5 * MB);
  const flood = async (count: number) => {
    for (let n = 0; n < count; n++) await answersTo(t, plane, large);
  };
  await flood(3);
  const before = await heapUsed();
  await flood(20);
  const grown = (await heapUsed()) - before;
  assert.ok(grown < 8 * MB, `${grown} bytes more`);
});
