import { isForEverybody } from '../../../policy/exceptions/everybody.ts';
import type { Answer } from '../../session.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { isYes } from '../../yes.ts';
import type { ExceptionWords } from './exception-words.ts';

export const NOT_BLOCKED: Answer = {
  json: { added: false },
  text: 'Nothing was blocked.',
  exitCode: 1,
};

/** What is asked and warned where a block is for all; undefined for anything else. */
export function everybodyWarning(
  { collection }: Pick<ExceptionWords, 'collection'>,
  namespace: string,
  matches: Iterable<string>,
): string | undefined {
  if (collection !== 'blocks') return undefined;
  for (const match of matches) {
    if (isForEverybody(match)) return `A block of ${match} denies everybody in ${namespace}.`;
  }
  return undefined;
}

/** Asks before everybody is locked out. Without a terminal nobody can be asked, and it is refused. */
export async function confirmEverybody(
  terminal: Terminal,
  warning: string | undefined,
  { yes = false }: { readonly yes?: boolean },
): Promise<boolean> {
  if (warning === undefined || yes) return true;
  if (!terminal.isInteractive) {
    throw new UsageError(`${warning} Nobody can be asked here: add --yes to do so.`);
  }
  return isYes(await terminal.ask(`${warning} Really? [y/N] `));
}
