import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { canonicalPassword } from '../tenancy/identity/password-rules.ts';
import type { PasswordMatch, Passwords } from '../tenancy/identity/passwords.ts';
import { FewAtOnce } from './few-at-once.ts';
import { type Argon2Cost, type Argon2Hash, parsePhcString, toPhcString } from './phc-string.ts';

/**
 * OWASP's first choice for argon2id (Password Storage Cheat Sheet): 19 MiB, two passes, one lane. RFC
 * 9106's second choice takes 64 MiB for each sign-in, too much for a small machine under a flood.
 */
export const COST: Argon2Cost = { memoryKib: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Two threads of the four that Node has by default, and 38 MiB at most. */
const RUNNING_MAX = 2;
/** Some two seconds of work on a slow core. */
const WAITING_MAX = 32;

const derive = promisify(argon2);

/** Argon2id (RFC 9106, version 1.3) off the event loop, in PHC string form. */
export class Argon2Passwords implements Passwords {
  readonly #cost: Argon2Cost;
  readonly #few = new FewAtOnce({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX });
  /** Of no password: for a login that isn't there the same work is done against it. */
  readonly #nobodys: Argon2Hash;

  constructor(cost: Argon2Cost = COST) {
    this.#cost = cost;
    this.#nobodys = { ...cost, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const tag = await this.#tag(password, { ...this.#cost, salt, tagLength: TAG_BYTES });
    return toPhcString({ ...this.#cost, salt, tag });
  }

  async verify(password: string, stored: string | null): Promise<PasswordMatch> {
    const known = stored === null ? this.#nobodys : parsePhcString(stored);
    if (known === undefined) throw new Error('a stored password hash is not argon2id in PHC string form');
    const tag = await this.#tag(password, { ...known, tagLength: known.tag.length });
    const isMatch = stored !== null && timingSafeEqual(tag, known.tag);
    return { isMatch, isOutdated: isBelow(known, this.#cost) };
  }

  #tag(password: string, { salt, tagLength, ...cost }: Derivation): Promise<Buffer> {
    const { memoryKib: memory, passes, parallelism } = cost;
    const message = canonicalPassword(password);
    return this.#few.run(() =>
      derive('argon2id', { message, nonce: salt, parallelism, tagLength, memory, passes }),
    );
  }
}

interface Derivation extends Argon2Cost {
  readonly salt: Buffer;
  readonly tagLength: number;
}

function isBelow(cost: Argon2Cost, wanted: Argon2Cost): boolean {
  return cost.memoryKib < wanted.memoryKib || cost.passes < wanted.passes;
}
