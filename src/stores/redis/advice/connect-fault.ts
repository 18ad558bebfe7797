import { nextStep, type Spoken } from './next-step.ts';
import { RedisFault } from './redis-fault.ts';

/** Why a connection was not made, or nobody is let in, in short, with what to do about it. */
export function connectFault({ message }: Error, spoken: Spoken): RedisFault {
  const said = inShort(message);
  return new RedisFault(said, nextStep(said, spoken));
}

/**
 * What OpenSSL says is shortened to the words of its message, and of the advice of Node.js and of libraries about
 * their own options nothing is left.
 */
function inShort(message: string): string {
  return message
    .replace(/^.*error:[0-9A-F]+:SSL routines:[^:]*:([^:\n]+).*$/s, 'TLS: $1')
    .replace(/; if the root CA is installed locally.*$/s, '')
    .replace(/^(-?NOAUTH) HELLO must be called.*$/s, '$1 Authentication required')
    .replace(/ Please report this\.$/, '')
    .replace(/[\s.:]+$/, '');
}
