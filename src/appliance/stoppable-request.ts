import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A class of requests at which Node's parser stops if `isOver` says so of their connection: they
 * look like an Upgrade, after which no HTTP follows. Nothing else ends the parsing of a chunk that
 * was read already, and 64 KiB hold two thousand requests. To be used with `shouldUpgradeCallback`,
 * or real Upgrades would be meant as well.
 */
export function stoppableRequest(isOver: (socket: Socket) => boolean): typeof IncomingMessage {
  return class StoppableRequest extends IncomingMessage {
    declare isUpgrade: boolean | null;

    /** Set by the parser once the headers are there: CONNECT, or an Upgrade header. */
    set upgrade(value: boolean | null) {
      // Asked here and never again: the body of a request may arrive when its connection is over.
      this.isUpgrade = value || isOver(this.socket);
    }

    get upgrade(): boolean | null {
      return this.isUpgrade;
    }
  };
}
