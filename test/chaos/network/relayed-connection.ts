import type { Socket } from 'node:net';

/** `held`: what comes is passed on later, as TCP does after a short partition. `lost`: it never is. */
export type Cut = 'held' | 'lost';

/** From the caller, to the caller, or both. */
export type Direction = 'there' | 'back' | 'both';

/** Two ends of a relay, each of which may be cut off from the other without a word. */
export class RelayedConnection {
  /** By which its owner can be found. */
  readonly callerPort: number;
  readonly #caller: Socket;
  readonly #target: Socket;
  readonly #cuts = new Map<Socket, Cut>();
  #isClosed = false;

  constructor(caller: Socket, target: Socket) {
    this.#caller = caller;
    this.#target = target;
    this.callerPort = caller.remotePort ?? 0;
    this.#pass(caller, target);
    this.#pass(target, caller);
  }

  onClose(listener: () => void): void {
    let open = 2;
    for (const socket of [this.#caller, this.#target])
      socket.on('close', () => {
        open--;
        if (open === 0) listener();
      });
  }

  cut(cut: Cut, direction: Direction): void {
    if (direction !== 'back') this.#cut(this.#caller, cut);
    if (direction !== 'there') this.#cut(this.#target, cut);
  }

  /** What was held is passed on. Where something was lost the connection stays dead, and nobody is told. */
  mend(): void {
    for (const [socket, cut] of this.#cuts) {
      if (cut === 'lost') continue;
      this.#cuts.delete(socket);
      socket.resume();
    }
    if (this.#isClosed && this.#cuts.size === 0) this.end();
  }

  end(): void {
    this.#caller.destroy();
    this.#target.destroy();
  }

  #cut(socket: Socket, cut: Cut): void {
    if (this.#cuts.get(socket) === 'lost') return;
    this.#cuts.set(socket, cut);
    if (cut === 'held') socket.pause();
    else socket.resume();
  }

  #pass(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    from.on('error', () => undefined);
    from.on('data', (chunk) => {
      if (this.#cuts.get(from) === 'lost' || to.write(chunk)) return;
      from.pause();
      to.once('drain', () => {
        if (!this.#cuts.has(from)) from.resume();
      });
    });
    from.on('close', () => {
      this.#isClosed = true;
      // An end that was cut off doesn't hear of the other's.
      if (this.#cuts.size === 0) to.destroySoon();
    });
  }
}
