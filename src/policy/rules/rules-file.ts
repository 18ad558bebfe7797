import { FAULTS_MAX, type Fault, faultSentence, type Path } from './fault.ts';
import type { ProjectRules } from './project-rules.ts';
import { parseRules } from './rules-input.ts';
import { parseYaml, type YamlValue } from './yaml-value.ts';

export const RULES_FILE_MAX_BYTES = 16 * 1024 * 1024;

/** A fault and where it is, both counted from 1. */
export interface PlacedFault {
  readonly line: number;
  readonly column: number;
  /** A whole sentence. */
  readonly text: string;
}

export interface RulesFile {
  /** The name that the file gives its project. */
  readonly project: string | undefined;
  /** What is sent to the API. */
  readonly json: unknown;
  readonly rules: ProjectRules;
  /** Where the member stands that the API names: `namespaces.login.limits[0].limit`. */
  placeOf(field: string): { readonly line: number; readonly column: number };
}

/** The file is not one; every fault is told, up to FAULTS_MAX, from top to bottom. */
export class RulesFileError extends Error {
  override readonly name = 'RulesFileError';
  readonly faults: readonly PlacedFault[];

  constructor(faults: readonly PlacedFault[]) {
    super(faults.map(({ line, column, text }) => `${line}:${column}: ${text}`).join('\n'));
    this.faults = faults;
  }
}

/** Reads and checks a project's rules as YAML. Throws a RulesFileError. */
export function readRulesFile(text: string): RulesFile {
  const yaml = parseYaml(text);
  if (yaml.isBroken) throw new RulesFileError(placed(yaml, yaml.faults.map(sentenceOf)));
  const { project, rules, faults } = parseRules(yaml.value);
  const all = [...yaml.faults.map(sentenceOf), ...faults.map((fault) => located(yaml, fault))];
  if (all.length > 0) throw new RulesFileError(placed(yaml, all));
  return {
    project,
    json: yaml.value,
    rules,
    placeOf: (field) => yaml.lineOf(yaml.offsetOf(pathOf(field, yaml.value))),
  };
}

interface Located {
  readonly offset: number;
  readonly text: string;
}

/** From top to bottom; what is at fault twice is told once. */
function placed(yaml: YamlValue, faults: readonly Located[]): PlacedFault[] {
  const byOffset = new Map<number, string>();
  for (const { offset, text } of faults) if (!byOffset.has(offset)) byOffset.set(offset, text);
  return [...byOffset]
    .sort(([left], [right]) => left - right)
    .slice(0, FAULTS_MAX)
    .map(([offset, text]) => ({ ...yaml.lineOf(offset), text }));
}

function sentenceOf({ offset, text }: Located): Located {
  return { offset, text: `${text}.` };
}

function located(yaml: YamlValue, fault: Fault): Located {
  const hint = fault.isOfName === true ? '' : hintOf(fault, yaml.sourceOf(fault.path));
  return {
    offset: yaml.offsetOf(fault.path, fault.isOfName),
    text: faultSentence({ path: fault.path, text: `${fault.text}${hint}` }),
  };
}

const PLAIN_INTEGER = /^-?(0|[1-9][0-9]*)$/;
const LOOKS_LIKE_NUMBER = /^[-+.]?[0-9.]/;

/** What YAML made of the text, where that is the matter. */
function hintOf({ isUnquoted, isOfNumber }: Fault, source: string | undefined): string {
  if (source === undefined) return '';
  const isNumber = LOOKS_LIKE_NUMBER.test(source);
  if (isUnquoted === true) {
    return `; YAML takes ${source} for ${isNumber ? 'a number' : 'a truth value'}: write it in quotes, "${source}"`;
  }
  if (!isNumber || isOfNumber !== true) return '';
  return PLAIN_INTEGER.test(source) ? `; ${source} is not` : `; ${source} is not written in plain digits`;
}

/** The path of a name such as `namespaces.a.b.limits[0]`, in which a namespace's name may have dots. */
function pathOf(field: string, value: unknown): Path {
  if (field === '' || typeof value !== 'object' || value === null) return [];
  for (const [name, member] of Object.entries(value)) {
    const written = Array.isArray(value) ? `[${name}]` : name;
    if (!field.startsWith(written)) continue;
    const rest = field.slice(written.length);
    if (rest !== '' && !/^[.[]/.test(rest)) continue;
    const part = Array.isArray(value) ? Number(name) : name;
    const inside = pathOf(rest.replace(/^\./, ''), member);
    if (rest === '' || inside.length > 0 || !rest.startsWith('.')) return [part, ...inside];
  }
  return [];
}
