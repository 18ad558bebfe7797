import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { listenTcp } from '../../src/appliance/listen.ts';
import { recordedLog } from './fakes.ts';

/** For listen.test.ts: listens on [::] in a process of its own, asks both families, prints the answers. */
const server = createServer((socket) => socket.end('here'));
await listenTcp(server, { host: '::', port: 0 }, { variable: 'BRUME_LISTEN', log: recordedLog().log });
const { port } = server.address() as AddressInfo;

async function answerOn(host: string): Promise<string> {
  const socket = connect({ host, port });
  const [text] = await once(socket, 'data').catch((error: Error) => [error.message]);
  socket.destroy();
  return String(text);
}

const bindv6only = readFileSync('/proc/sys/net/ipv6/bindv6only', 'utf8').trim();
console.log(JSON.stringify({ bindv6only, ipv4: await answerOn('127.0.0.1'), ipv6: await answerOn('::1') }));
server.close();
