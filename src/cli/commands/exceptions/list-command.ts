import type { Command } from 'commander';
import type { ApiClient } from '../../../client/api-client.ts';
import type { Exception, ExceptionList, ExceptionPlace } from '../../../client/exceptions.ts';
import { name, wholeNumber } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { localTime } from '../../moment.ts';
import { printable } from '../../printable.ts';
import { type ProjectOptions, projectOf, withProjectOption } from '../../project-option.ts';
import type { Session } from '../../session.ts';
import { type Cell, table } from '../../table.ts';
import { present } from '../namespace/spec.ts';
import { endCell, limitsText } from './exception-text.ts';
import type { ExceptionWords } from './exception-words.ts';
import { namingFlags } from './naming-flags.ts';

const PAGE_SIZE = 1000;
const SHOWN_DEFAULT = 1000;

interface Options extends ProjectOptions {
  readonly match?: string;
  readonly expired?: boolean;
  readonly limit: number;
  readonly after?: string;
}

/** `list` of one kind. */
export function defineListCommand(group: Command, session: Session, words: ExceptionWords): void {
  const { group: typed, collection, one, plural } = words;
  const command = defineCommand(group, 'list', {
    summary: `list the ${plural} of a namespace`,
    examples: [`brume ${typed} list login`, `brume ${typed} list login --match 203.0.113.7 --json`],
  })
    .argument('<namespace>', 'name', name)
    .option('--match <match>', 'only what is for exactly this match')
    .option('--expired', 'also those that have ended; they are cleared away after a day')
    .option('--limit <n>', 'show at most so many', wholeNumber, SHOWN_DEFAULT)
    .option('--after <next>', 'go on behind a list that was cut; its end says with what');
  withAdminOptions(withProjectOption(command)).action((namespace: string, options: Options) =>
    session.ask(options, async (client) => {
      const project = await projectOf(client, options);
      const list = await namingFlags(read(client, { project, namespace, collection }, options));
      const { items, next } = list;
      const none = printable(
        `There are no ${plural} in ${namespace} of ${project}. Add ${one} with: brume ${typed} add ${namespace} MATCH`,
      );
      const text = items.length === 0 ? none : tableOf(items, collection === 'overrides');
      const more = next === null ? '' : `\n\nThere are more. Go on with: --after ${printable(next)}`;
      return { json: list, text: text + more };
    }),
  );
}

async function read(client: ApiClient, place: ExceptionPlace, options: Options): Promise<ExceptionList> {
  const items: Exception[] = [];
  let next: string | null = options.after ?? null;
  do {
    const list: ExceptionList = await client.exceptions.list(place, {
      ...present({ match: options.match, withExpired: options.expired, after: next ?? undefined }),
      limit: Math.max(1, Math.min(PAGE_SIZE, options.limit - items.length)),
    });
    items.push(...list.items);
    next = list.next;
  } while (next !== null && items.length < options.limit);
  return { items, next };
}

function tableOf(items: readonly Exception[], hasLimits: boolean): string {
  const nowMs = Date.now();
  const headings = ['MATCH', ...(hasLimits ? ['LIMITS'] : []), 'ENDS', 'REASON', 'BY', 'SINCE'];
  return table(
    headings,
    items.map(({ match, limits, expiresAt, reason, author, createdAt }): Cell[] => [
      match,
      ...(hasLimits ? [limitsText(limits ?? [])] : []),
      endCell(expiresAt, nowMs),
      reason === '' ? null : reason,
      author,
      localTime(createdAt),
    ]),
  );
}
