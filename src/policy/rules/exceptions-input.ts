import { PATTERNS_PER_NAMESPACE_MAX } from '../exceptions/match.ts';
import { EXCEPTION_KINDS, type ExceptionKind } from '../exceptions/rule-exception.ts';
import type { Rule } from '../namespace.ts';
import { exceptionParser, type ParseException } from './exception-parser.ts';
import { FAULTS_MAX, type Fault, type Path } from './fault.ts';
import type { ExceptionRules, NamespaceRules } from './project-rules.ts';
import { memberFault } from './rule-fault.ts';
import type { FileExceptionJson, NamespaceRulesJson } from './rules-schema.ts';
import type { Steps } from './steps.ts';

/** What a kind's section is called. */
export const SECTIONS = {
  block: 'blocks',
  exemption: 'exemptions',
  override: 'overrides',
} as const satisfies Readonly<Record<ExceptionKind, keyof NamespaceRulesJson>>;

/** The sections that a namespace of a file has, checked against its rule. */
export function* exceptionSections(
  json: NamespaceRulesJson,
  rule: Rule,
  path: Path,
  faults: Fault[],
): Steps<NamespaceRules['exceptions']> {
  const sections: Partial<Record<ExceptionKind, readonly ExceptionRules[]>> = {};
  const count = { patterns: 0 };
  for (const kind of EXCEPTION_KINDS) {
    const entries: readonly FileExceptionJson[] | undefined = json[SECTIONS[kind]];
    if (entries === undefined) continue;
    sections[kind] = yield* section(entries, rule, [...path, SECTIONS[kind]], { faults, count });
  }
  return sections;
}

function* section(
  entries: readonly FileExceptionJson[],
  rule: Rule,
  path: Path,
  { faults, count }: { readonly faults: Fault[]; readonly count: { patterns: number } },
): Steps<readonly ExceptionRules[]> {
  const parse = exceptionParser(rule);
  const parsed: ExceptionRules[] = [];
  const indexes = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    yield;
    if (faults.length >= FAULTS_MAX) break;
    const at = [...path, index];
    const outcome = parsedEntry(entry, parse, at);
    if ('text' in outcome) {
      faults.push(outcome);
      continue;
    }
    const first = indexes.get(outcome.match);
    if (first !== undefined) {
      faults.push({ path: [...at, 'match'], text: `is that of entry [${first}] again: ${outcome.match}` });
    }
    if (outcome.form === 'pattern' && ++count.patterns === PATTERNS_PER_NAMESPACE_MAX + 1) {
      const text = `is one pattern too many: a namespace has at most ${PATTERNS_PER_NAMESPACE_MAX} with *`;
      faults.push({ path: [...at, 'match'], text });
    }
    indexes.set(outcome.match, first ?? index);
    parsed.push(outcome);
  }
  return parsed;
}

function parsedEntry(entry: FileExceptionJson, parse: ParseException, path: Path): ExceptionRules | Fault {
  if (entry.until !== undefined && entry.expiresAt !== undefined) {
    return { path: [...path, 'until'], text: "can't stand beside expiresAt: both say the same" };
  }
  try {
    return parse(entry);
  } catch (error) {
    return memberFault(error, entry, path);
  }
}
