import { readBoundedFile, sizeText } from './bounded-file.ts';
import type { ConfigFault } from './config-error.ts';

interface FileSetting {
  readonly variable: string;
  readonly text: string;
  readonly line: number;
}

export interface ConfigFile {
  readonly settings: readonly FileSetting[];
  readonly faults: readonly ConfigFault[];
}

const FILE_BYTES_MAX = 1024 * 1024;

const EMPTY: ConfigFile = { settings: [], faults: [] };
const UNQUOTED = /^(?<text>.*?)(?:\s#.*)?$/;
const QUOTED = /^(?<quote>["'])(?<text>.*?)\k<quote>(?<rest>.*)$/;

/** Reads a configuration file. One that may be absent counts as empty if it is. */
export function readConfigFile(path: string, options: { mayBeAbsent: boolean }): ConfigFile {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readBoundedFile(path, FILE_BYTES_MAX));
    return parseConfigFile(text, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT' && options.mayBeAbsent) return EMPTY;
    return { settings: [], faults: [unreadable(path, code)] };
  }
}

/**
 * `KEY=value` lines. Blanks around either are dropped; `#` begins a comment at the start of a line
 * or after a blank; a value may stand in single or double quotes, within which nothing is special.
 */
export function parseConfigFile(content: string, path: string): ConfigFile {
  const settings = new Map<string, FileSetting>();
  const faults: ConfigFault[] = [];
  for (const [index, raw] of content.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const where = `${path}, line ${index + 1}`;
    const setting = parseLine(line, index + 1);
    const earlier = 'text' in setting ? settings.get(setting.variable) : undefined;
    if (!('text' in setting)) faults.push({ ...setting, where });
    else if (earlier === undefined) settings.set(setting.variable, setting);
    else faults.push(duplicate(setting.variable, where, earlier.line));
  }
  return { settings: [...settings.values()], faults };
}

/** The faults never quote the line: what stands in it may be a secret. */
function parseLine(line: string, number: number): FileSetting | Omit<ConfigFault, 'where'> {
  const [, variable, value] = /^([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/.exec(line) ?? [];
  if (variable === undefined || value === undefined) {
    return {
      variable: null,
      problem: 'the line is not KEY=value',
      remedy: 'Write one setting a line, or begin a comment with #',
    };
  }
  if (/[^\P{Cc}\t]/u.test(value)) {
    return { variable, problem: 'the value contains control characters', remedy: 'Remove them' };
  }
  if (!/^\s*["']/.test(value)) {
    return { variable, text: UNQUOTED.exec(value)?.groups?.text?.trim() ?? '', line: number };
  }
  const { text, rest } = QUOTED.exec(value.trim())?.groups ?? {};
  if (text === undefined || rest === undefined) {
    return { variable, problem: 'the quote is not closed', remedy: 'End the value with the same quote' };
  }
  if (!/^(\s+#.*|\s*)$/.test(rest)) {
    return {
      variable,
      problem: 'something follows the closing quote',
      remedy: 'Quote the whole value; a value that contains one kind of quote goes into the other',
    };
  }
  return { variable, text, line: number };
}

function duplicate(variable: string, where: string, earlierLine: number): ConfigFault {
  return {
    variable,
    where,
    problem: `it is set already in line ${earlierLine}`,
    remedy: 'Keep one of the two lines',
  };
}

function unreadable(path: string, code: string): ConfigFault {
  const reasons: Record<string, string> = {
    ENOENT: 'the file does not exist',
    EACCES: 'this user may not read the file',
    EISDIR: 'this is a directory, not a file',
    EFBIG: `the file is larger than ${sizeText(FILE_BYTES_MAX)}`,
    ERR_ENCODING_INVALID_ENCODED_DATA: 'the file is not UTF-8 text',
  };
  return {
    variable: null,
    where: path,
    problem: reasons[code] ?? `the file can't be read (${code})`,
    remedy: 'Name a readable text file of KEY=value lines',
  };
}
