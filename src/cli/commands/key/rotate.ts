import type { Command } from 'commander';
import type { RotatedApiKey } from '../../../client/resources.ts';
import { durationMs, name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import { type KeyEndOptions, keyEndOf, withKeyEnd } from '../../key-end-options.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';

interface Options extends AdminOptions, KeyEndOptions {
  /** Milliseconds. */
  readonly overlap?: number;
}

export function keyRotate(group: Command, session: Session): void {
  const command = defineCommand(group, 'rotate', {
    summary: 'make a new API key in the place of one, which goes on for an overlap',
    description:
      'Makes a new API key with the name, kind and scopes of an old one and shows it, this once. The old one goes on for the overlap, or until its own end if that comes earlier, so that callers can be moved without a refusal.',
    examples: [
      'brume key rotate shop key_5f0c9a',
      'brume key rotate shop key_5f0c9a --overlap 2h --expires-in 90d',
      'brume key rotate shop key_5f0c9a --json | jq -r .key',
    ],
  })
    .argument('<project>', 'name or id', name)
    .argument('<key>', 'id of the old key, as key list shows it', name)
    .option(
      '--overlap <duration>',
      'how long the old key goes on, 0s to 30d; 0s ends it now (default: 1d)',
      durationMs,
    );
  withAdminOptions(withKeyEnd(command)).action((project: string, key: string, options: Options) =>
    session.ask(options, async (client) => {
      const { overlap } = options;
      const rotation = { ...(overlap !== undefined && { overlapMs: overlap }), ...keyEndOf(options) };
      const json = await client.rotateKey(project, key, rotation);
      return { json, text: text(json) };
    }),
  );
}

function text({ name: called, id, kind, key, replaced }: RotatedApiKey): string {
  return [
    `Created ${kind} key ${called} (${id}) in the place of ${replaced.id}, which ends ${formatTime(replaced.expiresAt)}. It is shown this once; keep it safe:`,
    key,
  ]
    .map(printable)
    .join('\n');
}
