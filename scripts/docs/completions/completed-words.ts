import type { Argument, Command, Option } from 'commander';
import { HELP_TOPICS } from '../../../src/cli/help-topics.ts';
import { commandTree, wordsOf } from '../command-tree.ts';

export interface Word {
  readonly word: string;
  readonly summary: string;
}

/** What may stand behind an option: the name of a file, one of a few words, or what nobody could guess. */
export type Value = { readonly kind: 'file' | 'words' | 'unknown'; readonly words: readonly string[] };

interface CompletedOption extends Word {
  /** Undefined: it takes none. */
  readonly value: Value | undefined;
}

/** A place of the command line: `brume`, `brume key`, `brume key create`. */
export interface Place {
  readonly command: string;
  /** What may come next that is no option. */
  readonly words: readonly Word[];
  /** A file may come next. */
  readonly takesFile: boolean;
  readonly options: readonly CompletedOption[];
}

const HELP: CompletedOption = { word: '--help', summary: 'show help', value: undefined };

/** Every place of the command line, as it is declared. */
export function places(): Place[] {
  return placesOf(commandTree());
}

function placesOf(command: Command): Place[] {
  return [placeOf(command), ...command.commands.flatMap(placesOf)];
}

function placeOf(command: Command): Place {
  const words = command.commands.map((child) => ({ word: child.name(), summary: child.summary() }));
  const isHelp = command.name() === 'help';
  return {
    command: wordsOf(command).join(' '),
    words: isHelp ? helpWords(command) : [...words, ...command.registeredArguments.flatMap(choicesOf)],
    takesFile: command.registeredArguments.some((argument) => isFile(argument.name())),
    options: [...command.options.map(optionOf), HELP],
  };
}

/** What `brume help` takes. */
function helpWords(command: Command): Word[] {
  const commands =
    command.parent?.commands.map((child) => ({ word: child.name(), summary: child.summary() })) ?? [];
  const topics = HELP_TOPICS.map(({ name, summary }) => ({ word: name, summary }));
  return [...commands, ...topics, { word: 'topics', summary: 'list the pages of the documentation' }];
}

function choicesOf({ argChoices, description }: Argument): Word[] {
  return (argChoices ?? []).map((word) => ({ word, summary: description }));
}

function optionOf({ long, flags, argChoices, description }: Option): CompletedOption {
  const [, name] = /[<[]([^>\]]+)[>\]]/.exec(flags) ?? [];
  return {
    word: long ?? flags,
    summary: description,
    value: name === undefined ? undefined : takenBy(name, argChoices),
  };
}

function takenBy(name: string, choices: readonly string[] = []): Value {
  if (choices.length > 0) return { kind: 'words', words: choices };
  return { kind: isFile(name) ? 'file' : 'unknown', words: [] };
}

function isFile(name: string): boolean {
  return /^(file|path)$/.test(name);
}

/**
 * Options with a value, by what may stand there: patterns of `COMMAND OPTION`. An option that means the
 * same wherever it is needs no command: `* --config`.
 */
export function valuePatterns(
  all: readonly Place[],
): { readonly patterns: readonly string[]; readonly value: Value }[] {
  const byValue = new Map<string, { patterns: string[]; value: Value }>();
  const options = all.flatMap(({ command, options: own }) => own.map((option) => ({ command, ...option })));
  for (const { command, word, value } of options) {
    if (value === undefined) continue;
    const isSameEverywhere = options
      .filter((other) => other.word === word)
      .every((other) => JSON.stringify(other.value) === JSON.stringify(value));
    const key = JSON.stringify(value);
    const found = byValue.get(key) ?? { patterns: [], value };
    const pattern = isSameEverywhere ? `*' ${word}'` : `'${command} ${word}'`;
    if (!found.patterns.includes(pattern)) found.patterns.push(pattern);
    byValue.set(key, found);
  }
  return [...byValue.values()];
}
