import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { type ListenAddress, listenAddressOrOff } from '../../config/kinds/listen-address.ts';
import { FRONT_END_NAMES, type FrontEndName } from '../../operations/snippet/front-ends.ts';
import { NAME_PATTERN, NAME_WORDS } from '../../policy/names.ts';
import { name } from '../arguments.ts';
import { defineCommand, withOutputOptions } from '../define-command.ts';
import type { Answer, OutputOptions, Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';

interface Options extends OutputOptions {
  readonly namespace?: string;
  readonly listen?: ListenAddress;
  readonly keyFile?: string;
  readonly whenDown?: 'open' | 'closed';
  readonly file?: string;
}

export function snippetCommand(program: Command, session: Session): void {
  const command = defineCommand(program, 'snippet', {
    summary: 'print what a front end needs to ask Brume, filled in',
    description:
      'Prints the files by which nginx, HAProxy, Caddy, Traefik or Envoy ask Brume, filled in with what the options say. Nothing is written, and no running Brume is asked. Each front end has a page of its own, which help shows: brume help nginx.',
    examples: [
      'brume snippet nginx --namespace api',
      'brume snippet haproxy --namespace api --when-down closed --file brume.cfg',
      'brume snippet envoy --namespace api --listen 10.0.0.7:8600 --json',
    ],
  })
    .addArgument(new Argument('<frontend>', 'the front end').choices([...FRONT_END_NAMES]))
    .option('--namespace <name>', 'the namespace by which requests are limited (default: api)', namespaceName)
    .option(
      '--listen <address>',
      'ADDRESS:PORT of the data plane, as the front end reaches it (default: 127.0.0.1:8600)',
      reachable,
    )
    .option('--key-file <path>', "file on the front end's machine that holds the key", plainPath)
    .addOption(
      new Option(
        '--when-down <policy>',
        'whether requests pass while Brume does not answer (default: open; traefik: closed)',
      ).choices(['open', 'closed']),
    )
    .option('--file <name>', 'print this one of its files only, as it is', name);
  withOutputOptions(command).action((frontEnd: FrontEndName, options: Options) =>
    session.answer(options, () => print(frontEnd, options)),
  );
}

async function print(frontEnd: FrontEndName, options: Options): Promise<Answer> {
  const { namespace, listen, keyFile, whenDown, file: only } = options;
  const { snippet } = await import('../../operations/snippet/snippet.ts');
  const all = snippet(frontEnd, { namespace, listen, keyFile, whenUnjudged: whenDown });
  if (only === undefined) {
    const parts = all.map(({ place, text }) => `==> ${place} <==\n${text}`);
    return { json: { frontEnd, files: all }, text: parts.join('\n').trimEnd() };
  }
  const chosen = all.find(({ file }) => file === only);
  if (chosen === undefined) {
    throw new UsageError(
      `${frontEnd} has no file "${only}". It has: ${all.map(({ file }) => file).join(', ')}.`,
    );
  }
  return { json: { frontEnd, files: [chosen] }, text: chosen.text.trimEnd() };
}

/** What no namespace is called, a front end's file would carry into every check. */
function namespaceName(text: string): string {
  if (!new RegExp(NAME_PATTERN).test(text)) throw new InvalidArgumentError(`It must be ${NAME_WORDS}.`);
  return text;
}

/** One that can be connected to: neither port 0 nor the address that stands for all of a machine's. */
function reachable(text: string): ListenAddress {
  const kind = listenAddressOrOff();
  const address = kind.fault(text) === undefined ? kind.value(text) : null;
  if (address === null || address.port === 0) {
    throw new InvalidArgumentError('Expected ADDRESS:PORT such as 127.0.0.1:8600 or [::1]:8600.');
  }
  if (/^(0\.0\.0\.0|[0:]+)$/.test(address.host)) {
    throw new InvalidArgumentError(
      'Nobody can connect to the address that stands for all: name one of them.',
    );
  }
  return address;
}

/** Characters that are special in none of the front ends' languages. */
function plainPath(text: string): string {
  if (!/^\/[A-Za-z0-9._/@+-]+$/.test(text)) {
    throw new InvalidArgumentError('Expected an absolute path of letters, digits and . _ / @ + - only.');
  }
  return text;
}
