import { type Command, Option } from 'commander';
import type { KeyKind, NewApiKey } from '../../../client/resources.ts';
import { defaultScopes, KEY_KINDS, SCOPES } from '../../../tenancy/api-key.ts';
import { collect, name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { type KeyEndOptions, keyEndOf, withKeyEnd } from '../../key-end-options.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';

const DEFAULTS = KEY_KINDS.map((kind) => `${kind}: ${defaultScopes(kind).join(', ')}`);

interface Options extends AdminOptions, KeyEndOptions {
  readonly kind: KeyKind;
  readonly scope?: readonly string[];
}

export function keyCreate(group: Command, session: Session): void {
  const command = defineCommand(group, 'create', {
    summary: 'create an API key and show it once',
    description: 'Creates an API key and shows it, this once: Brume keeps only its hash.',
    examples: [
      'brume key create shop backend',
      'brume key create shop browser --kind publishable --scope peek --expires-in 30d',
      'brume key create shop ci --json | jq -r .key',
    ],
  })
    .argument('<project>', 'name or id', name)
    .argument('<name>', 'what to call the key', name)
    .addOption(
      new Option('--kind <kind>', 'publishable may be seen by end users, service may not')
        .choices(KEY_KINDS)
        .default('service'),
    )
    .option(
      '--scope <scope>',
      `what the key may do: ${SCOPES.join(', ')}; can be repeated (default: ${DEFAULTS.join('; ')})`,
      collect,
    );
  withAdminOptions(withKeyEnd(command)).action((project: string, keyName: string, options: Options) =>
    session.ask(options, async (client) => {
      const json = await client.createKey(project, newKey(keyName, options));
      const text = [
        `Created ${json.kind} key ${json.name} (${json.id}). It is shown this once; keep it safe:`,
        json.key,
      ];
      return { json, text: text.map(printable).join('\n') };
    }),
  );
}

function newKey(keyName: string, { kind, scope, ...end }: Options): NewApiKey {
  return { name: keyName, kind, ...(scope !== undefined && { scopes: scope }), ...keyEndOf(end) };
}
