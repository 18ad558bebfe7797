import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { Channel } from '../../../src/appliance/hand-over/channel.ts';
import { introduction } from '../../../src/appliance/hand-over/introduction.ts';
import type { Message } from '../../../src/appliance/hand-over/messages.ts';
import { handOverPath } from '../../../src/appliance/hand-over/private-socket.ts';

/** One side of a hand-over, played by a test, which can be gone at any step. */
export class OtherSide {
  readonly #socket: Socket;
  readonly #channel: Channel;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#channel = new Channel(socket);
  }

  /** The process that comes after the one that serves from this directory. */
  static async next(t: TestContext, stateDir: string): Promise<OtherSide> {
    const socket = connect(handOverPath(stateDir));
    t.after(() => socket.destroy());
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new OtherSide(socket);
  }

  /** The process that serves from this directory; resolves when the next one has come. */
  static serving(t: TestContext, stateDir: string): Promise<OtherSide> {
    return new Promise((resolve, reject) => {
      const server = createServer((socket) => {
        server.close();
        resolve(new OtherSide(socket));
      });
      server.once('error', reject);
      server.listen(handOverPath(stateDir));
      t.after(() => server.close());
    });
  }

  say(message: Message): void {
    this.#channel.send(message);
  }

  /** The next message, which must be of this kind. */
  async hear<Kind extends Message['kind']>(kind: Kind): Promise<Message & { kind: Kind }> {
    const message = await this.#channel.next(60_000);
    if (typeof message !== 'object' || message.kind !== kind) {
      throw new Error(`${kind} was expected, and this came: ${JSON.stringify(message)}`);
    }
    return message as Message & { kind: Kind };
  }

  async isGone(): Promise<void> {
    await this.#channel.closed;
  }

  /** As the kernel does for a process that was killed. */
  die(): void {
    this.#socket.destroy();
  }

  /** As the next process, has the stores given. */
  async take({ withinMs = 60_000, pid = process.pid } = {}): Promise<{ generation: number }> {
    this.say({ kind: 'hello', ...introduction(), pid });
    await this.hear('welcome');
    this.say({ kind: 'take', withinMs });
    return this.hear('yours');
  }
}
