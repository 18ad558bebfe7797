import type { AuditEntry } from '../../../client/audit.ts';
import { formatTime } from '../../duration.ts';
import { printableJson, printableJsonLine } from '../../printable.ts';
import { type Cell, table } from '../../table.ts';

/** What the audit is written as, page after page: it may be larger than memory. */

type Pages = AsyncIterable<readonly AuditEntry[]>;

export async function* entriesAsJsonLines(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) {
    if (page.length > 0) yield page.map(printableJsonLine).join('\n');
  }
}

/** `{"items": […]}`, as every list. */
export async function* entriesAsJson(pages: Pages): AsyncGenerator<string> {
  yield '{ "items": [';
  let separator = '';
  for await (const page of pages) {
    for (const entry of page) {
      yield separator + printableJson(entry);
      separator = ',';
    }
  }
  yield ']}';
}

/** A table for each page. */
export async function* entriesAsText(pages: Pages): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield `${isEmpty ? '' : '\n'}${table(HEADINGS, page.map(row))}`;
    isEmpty = false;
  }
  if (isEmpty) yield 'Nothing of this is in the audit.';
}

const HEADINGS = ['REVISION', 'WHEN', 'WHO', 'FROM', 'WHAT', 'TARGET', 'OF'];

/** Of whom: the project, where there is one, else the organisation. */
function row({
  revision,
  at,
  actor,
  address,
  action,
  target,
  projectId,
  organisationId,
}: AuditEntry): Cell[] {
  return [revision, formatTime(at), actor, address, action, target, projectId ?? organisationId];
}
