import type { Command } from 'commander';
import { nearestName } from '../../errors/nearest-name.ts';
import { defineCommand } from '../define-command.ts';
import { HELP_TOPICS, helpTopic, topicText } from '../help-topics.ts';
import type { Session } from '../session.ts';
import { details } from '../table.ts';
import { UsageError } from '../usage-error.ts';

export function help(program: Command, { terminal }: Session): void {
  defineCommand(program, 'help', {
    summary: 'show the help of a command, or a page of the documentation',
    description:
      'Shows the help of a command, or a page of the documentation, which the executable carries. "brume help topics" lists these pages.',
    examples: [
      'brume help',
      'brume help namespace create',
      'brume help topics',
      'brume help redis-server | less',
    ],
  })
    .argument('[words...]', 'a command, a topic, or topics')
    .action((words: readonly string[]) => {
      const [first = ''] = words;
      const topic = words.length === 1 ? helpTopic(first) : undefined;
      if (topic !== undefined) return terminal.out(topicText(topic));
      if (words.length === 1 && first === 'topics') return terminal.out(topicList());
      commandOf(program, words).outputHelp();
    });
}

function topicList(): string {
  const topics = details(HELP_TOPICS.map(({ name, summary }) => [name, summary]));
  return `Pages of the documentation, for brume help TOPIC:\n\n${topics.replace(/^/gm, '  ')}`;
}

function commandOf(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (next === undefined) throw unknown(command, words, word);
    command = next;
  }
  return command;
}

function unknown(command: Command, words: readonly string[], word: string): UsageError {
  const topics = command.parent === null ? HELP_TOPICS.map(({ name }) => name) : [];
  const nearest = nearestName(word, [...command.commands.map((one) => one.name()), ...topics]);
  const advice =
    nearest === undefined ? 'Run: brume help, or brume help topics' : `The nearest name is ${nearest}`;
  return new UsageError(`There is no command or topic "${words.join(' ')}". ${advice}`);
}
