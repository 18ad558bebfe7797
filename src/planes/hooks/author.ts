/** The unverified name under which the local command line asks; see `authorOf`. */
export const AUTHOR_HEADER = 'x-brume-author';

const NAME_LENGTH_MAX = 64;

/**
 * Who asked over the admin socket: `local:NAME`. The name is what the caller says; whoever may open
 * the socket may say any. It is cut to a short plain word, so that it can't forge a line or a field
 * of the log that it is written to.
 */
export function authorOf(header: string | string[] | undefined): string {
  const said = Array.isArray(header) ? header[0] : header;
  const name = (said ?? '').replace(/[^A-Za-z0-9._@-]/g, '_').slice(0, NAME_LENGTH_MAX);
  return `local:${name === '' ? 'unknown' : name}`;
}
