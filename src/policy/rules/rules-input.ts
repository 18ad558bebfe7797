import { BrumeError } from '../../errors/catalogue.ts';
import type { Rule } from '../namespace.ts';
import { acceptRule } from '../rule-input.ts';
import { checkValue, type Found } from './check-value.ts';
import { exceptionSections } from './exceptions-input.ts';
import { FAULTS_MAX, type Fault, faultSentence, type Path, pathText } from './fault.ts';
import { fileRuleJson } from './file-rule.ts';
import type { NamespaceRules, ProjectRules } from './project-rules.ts';
import { memberFault } from './rule-fault.ts';
import { type NamespaceRulesJson, type ProjectRulesJson, projectRulesJson } from './rules-schema.ts';
import { result, type Steps } from './steps.ts';

export interface ParsedRules {
  /** The name that the file gives its project. */
  readonly project: string | undefined;
  /** Without what is at fault. */
  readonly rules: ProjectRules;
  /** The first FAULTS_MAX; none of the rest counts if there is one. */
  readonly faults: readonly Fault[];
}

/** Checks the JSON of a project's rules, all of it. */
export function parseRules(input: unknown): ParsedRules {
  return result(parsingRules(input));
}

/** As parseRules, in steps of an entry each: a file may have hundreds of thousands. */
export function* parsingRules(input: unknown): Steps<ParsedRules> {
  const faults = yield* schemaFaults(input);
  if (faults.some(({ path }) => path.length < 2)) return { project: undefined, rules: NO_RULES, faults };
  const { project, namespaces: all } = input as ProjectRulesJson;
  const faulty = new Set(faults.map(({ path }) => path[1]));
  const namespaces = new Map<string, NamespaceRules>();
  for (const [name, json] of Object.entries(all)) {
    if (faults.length >= FAULTS_MAX) break;
    if (faulty.has(name)) continue;
    const parsed = yield* namespaceRules(json, ['namespaces', name], faults);
    if (parsed !== undefined) namespaces.set(name, parsed);
  }
  return { project, rules: { namespaces }, faults };
}

function* schemaFaults(input: unknown): Steps<Fault[]> {
  const found: Found = { faults: [], deferred: [] };
  checkValue(projectRulesJson, input, [], found);
  for (const { items, entries, path } of found.deferred) {
    for (const [index, entry] of entries.entries()) {
      yield;
      if (found.faults.length >= FAULTS_MAX) return found.faults.slice(0, FAULTS_MAX);
      checkValue(items, entry, [...path, index], found);
    }
  }
  return found.faults.slice(0, FAULTS_MAX);
}

/** A `bad_request` that names the first fault's member, and tells all of them. */
export function rulesRefused(faults: readonly Fault[]): BrumeError {
  const field = pathText(faults[0]?.path ?? []);
  const detail = faults.map(faultSentence).join(' ');
  return new BrumeError('bad_request', field === '' ? { detail } : { field, detail });
}

const NO_RULES: ProjectRules = { namespaces: new Map() };

function* namespaceRules(
  json: NamespaceRulesJson,
  path: Path,
  faults: Fault[],
): Steps<NamespaceRules | undefined> {
  const rule = acceptedRule(json, path, faults);
  if (rule === undefined) return undefined;
  return { rule, exceptions: yield* exceptionSections(json, rule, path, faults) };
}

function acceptedRule(json: NamespaceRulesJson, path: Path, faults: Fault[]): Rule | undefined {
  const { rule, faults: own } = fileRuleJson(json, path);
  if (own.length > 0) {
    faults.push(...own.slice(0, FAULTS_MAX - faults.length));
    return undefined;
  }
  try {
    return acceptRule(rule);
  } catch (error) {
    faults.push(memberFault(error, json, path, 'rule'));
    return undefined;
  }
}
