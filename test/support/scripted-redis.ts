import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** What a scripted server sends back, as it goes over the wire: `-BUSY …\r\n`, `:1\r\n`. */
export type ScriptedReply = string;
/** What is sent back later holds up what comes behind it on the connection. */
type Answer = () => ScriptedReply | Promise<ScriptedReply>;

/** A server that speaks the protocol of Redis and answers as a test wants it, where a real one can't be brought to it. */
export interface ScriptedRedis {
  readonly port: number;
  readonly url: string;
  /** Names of the commands that came, in capital letters. */
  readonly commands: readonly string[];
  /** What scripts are answered with from now on. */
  answerScripts(reply: Answer): void;
  stop(): Promise<void>;
}

/**
 * @param others answers to other commands than scripts, by their names; INFO, TIME and CLIENT have one
 */
export async function startScriptedRedis(
  others: Readonly<Record<string, () => ScriptedReply>> = {},
): Promise<ScriptedRedis> {
  const sockets = new Set<Socket>();
  const commands: string[] = [];
  let scripts: Answer = () => '-ERR nothing to say\r\n';

  function replyTo(name: string): ReturnType<Answer> {
    commands.push(name);
    const other = others[name];
    if (other !== undefined) return other();
    if (name === 'EVALSHA' || name === 'EVAL') return scripts();
    if (name === 'INFO') return bulk('run_id:scripted\r\nrole:master\r\nloading:0\r\n');
    if (name === 'TIME') return array([bulk(String(Math.floor(Date.now() / 1000))), bulk('0')]);
    return '+OK\r\n';
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let text = '';
    let sent = Promise.resolve();
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      for (;;) {
        const command = firstCommand(text);
        if (command === undefined) return;
        text = text.slice(command.length);
        const reply = replyTo(command.name);
        sent = sent.then(async () => void socket.write(await reply));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    url: `redis://127.0.0.1:${address.port}`,
    commands,
    answerScripts: (reply) => {
      scripts = reply;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export function bulk(text: string): ScriptedReply {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

export function array(parts: readonly ScriptedReply[]): ScriptedReply {
  return `*${parts.length}\r\n${parts.join('')}`;
}

/** The name of the first whole command in what came, and how much of it that is. */
function firstCommand(text: string): { readonly name: string; readonly length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  let at = head[0].length;
  let name = '';
  for (let part = 0; part < Number(head[1]); part++) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 16));
    if (size === null) return undefined;
    const start = at + size[0].length;
    at = start + Number(size[1]) + 2;
    if (text.length < at) return undefined;
    if (part === 0) name = text.slice(start, at - 2).toUpperCase();
  }
  return { name, length: at };
}
