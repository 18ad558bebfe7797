import type { Redis } from 'ioredis';

/** Which server answers, as it says itself. What it doesn't let one see is undefined. */
export interface ServerIdentity {
  /** The run_id of its process. */
  readonly process: string | undefined;
  readonly role: string | undefined;
  /** It still reads its file. */
  readonly isLoading: boolean;
}

/** Rejects if the server is gone; where a user may not ask, less is known. */
export async function identityOf(client: Redis): Promise<ServerIdentity> {
  const sections = ['server', 'replication', 'persistence'] as const;
  const texts = await Promise.all(sections.map((section) => unlessRefused(client.info(section))));
  const fields = infoFields(texts.join('\n'));
  return {
    process: fields.get('run_id'),
    role: fields.get('role') ?? (await roleOf(client)),
    isLoading: fields.get('loading') === '1',
  };
}

/** `name:value`, a line each. */
export function infoFields(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const end = line.indexOf(':');
      return end < 1 ? [] : [[line.slice(0, end), line.slice(end + 1)]];
    }),
  );
}

async function roleOf(client: Redis): Promise<string | undefined> {
  const role = await unlessRefused(client.call('ROLE'));
  return Array.isArray(role) ? String(role[0]) : undefined;
}

async function unlessRefused<Reply>(reply: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof Error && /^NOPERM|unknown command/i.test(error.message)) return undefined;
    throw error;
  }
}

/** Whether it is another process than before; by its place where it doesn't say. */
export function isAnother(
  before: Pick<ServerIdentity, 'process'> & { readonly place: string },
  now: Pick<ServerIdentity, 'process'> & { readonly place: string },
): boolean {
  return before.process === undefined || now.process === undefined
    ? before.place !== now.place
    : before.process !== now.process;
}
