import { assetNames, assetText } from '../../assets.ts';
import { type Condition, parseCondition } from './condition.ts';

/** The headings that every runbook has, in this order. */
export const SECTIONS = ['Meaning', 'Impact', 'Diagnosis', 'Mitigation', 'Verification'] as const;

/**
 * Rows that lead there say when the condition of the runbook's alerts does not hold on a node. What stands below them
 * is about a node on which it does.
 */
export const OVER = 'It is over';

/** A row of the diagnosis: what is seen, and where one is then. */
export interface Branch {
  /** As it stands in the runbook; null: whatever else is seen. */
  readonly condition: { readonly text: string; readonly parsed: Condition } | null;
  /** Which heading of the mitigation it leads to, or which runbook. */
  readonly title: string;
  readonly target: string;
}

export interface Runbook {
  readonly name: string;
  readonly title: string;
  /** Whole sentences: the first paragraph of its meaning. */
  readonly summary: string;
  readonly alerts: readonly string[];
  readonly text: string;
  readonly branches: readonly Branch[];
}

/** Not runbooks themselves. */
const OTHERS = new Set(['README.md', 'game-day.md']);

export function runbookNames(): string[] {
  return assetNames('runbooks')
    .filter((name) => name.endsWith('.md') && !OTHERS.has(name))
    .map((name) => name.slice(0, -'.md'.length));
}

/** Undefined: there is none of that name. Throws ConditionError if its diagnosis can't be read. */
export function findRunbook(name: string): Runbook | undefined {
  return runbookNames().includes(name) ? readRunbook(name, assetText(`runbooks/${name}.md`)) : undefined;
}

function readRunbook(name: string, text: string): Runbook {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
  const alerts = [...(/^Alerts: (.+)$/m.exec(text)?.[1] ?? '').matchAll(/\bBrume\w+/g)].map(
    ([alert]) => alert,
  );
  const summary = (sectionOf(text, 'Meaning') ?? '').split('\n\n')[0]?.replaceAll('\n', ' ').trim() ?? '';
  return { name, title, summary, alerts, text, branches: branchesIn(sectionOf(text, 'Diagnosis') ?? '') };
}

/** What stands below a heading, up to the next one of its level or above. */
export function sectionOf(text: string, heading: string): string | undefined {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (first < 0) return undefined;
  const level = lines[first]?.indexOf(' ') ?? 0;
  const rest = lines.slice(first + 1);
  let isCode = false;
  const end = rest.findIndex((line) => {
    if (line.startsWith('```')) isCode = !isCode;
    return !isCode && /^#+ /.test(line) && line.indexOf(' ') <= level;
  });
  return rest
    .slice(0, end < 0 ? rest.length : end)
    .join('\n')
    .trim();
}

/** As a link in the same file names a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .replace(/\s/g, '-');
}

const ROW = /^\| (?:`([^`]+)`|otherwise) \| \[([^\]]+)\]\(([^)]+)\) \|$/;

/** In the cell of a table `|` stands behind a backslash. */
function conditionOf(cell: string): NonNullable<Branch['condition']> {
  const text = cell.replaceAll('\\|', '|');
  return { text, parsed: parseCondition(text) };
}

function branchesIn(diagnosis: string): Branch[] {
  return diagnosis.split('\n').flatMap((line) => {
    const [, text, title, target] = ROW.exec(line) ?? [];
    if (title === undefined || target === undefined) return [];
    return [{ condition: text === undefined ? null : conditionOf(text), title, target }];
  });
}
