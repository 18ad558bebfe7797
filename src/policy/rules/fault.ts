/** Where something stands in a value: names of members, indexes of lists. */
export type Path = readonly (string | number)[];

export interface Fault {
  readonly path: Path;
  /** Completes a sentence that begins with the member's name: `must be an integer from 0 to 10`. */
  readonly text: string;
  /** Not the value but the member's own name is at fault. */
  readonly isOfName?: true;
  /** A whole number was wanted, and this is none. */
  readonly isOfNumber?: true;
  /** Text was wanted that came as something else: in YAML, for want of quotes. */
  readonly isUnquoted?: true;
}

/** As many are listed at a time. */
export const FAULTS_MAX = 20;

/** `['namespaces', 'login', 'limits', 0]` → `namespaces.login.limits[0]` */
export function pathText(path: Path): string {
  const text = path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : `${name}.${part}`),
    '',
  );
  return text.replace(/^\./, '');
}

/** A whole sentence. */
export function faultSentence({ path, text }: Pick<Fault, 'path' | 'text'>): string {
  return `${path.length === 0 ? 'the file' : pathText(path)} ${text}${text.endsWith('?') ? '' : '.'}`;
}
