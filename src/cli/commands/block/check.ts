import type { Command } from 'commander';
import type { Exception, Explanation } from '../../../client/exceptions.ts';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { EXIT } from '../../failure.ts';
import { localTime } from '../../moment.ts';
import { printable } from '../../printable.ts';
import { type ProjectOptions, projectOf, withProjectOption } from '../../project-option.ts';
import type { Session } from '../../session.ts';
import { type Cell, table } from '../../table.ts';
import { endCell, limitsText } from '../exceptions/exception-text.ts';

const BECAUSE: Readonly<Record<string, string>> = {
  expired: 'no: it has ended',
  less_exact: 'no: less exact',
  weaker_kind: 'no: as exact, but a weaker kind',
  newer: 'no: as exact, but newer',
};

export function blockCheck(group: Command, session: Session): void {
  const command = defineCommand(group, 'check', {
    summary: 'tell whether an identifier is blocked, and what else decides about it',
    description:
      'Tells which block, exemption or override decides for an identifier now, and which match too and do not decide. It counts nothing. The exit code is 1 if a block decides.',
    examples: [
      'brume block check login 203.0.113.7',
      'brume block check api customer-7 --json | jq .decides.reason',
    ],
  })
    .argument('<namespace>', 'name', name)
    .argument('<identifier>', 'who is limited: a user, an address, a key');
  withAdminOptions(withProjectOption(command)).action(
    (namespace: string, identifier: string, options: ProjectOptions) =>
      session.ask(options, async (client) => {
        const project = await projectOf(client, options);
        const json = await client.exceptions.explain({ project, namespace }, identifier);
        const text = explanationText(json, identifier, `${namespace} of ${project}`);
        return { json, text, exitCode: json.decides?.kind === 'block' ? EXIT.refused : 0 };
      }),
  );
}

function explanationText(
  { decides, withoutEffect = [], others }: Explanation,
  identifier: string,
  where: string,
): string {
  const isVain = isWholeOfIt(decides, withoutEffect);
  const sentences = [
    `${identifier} ${isVain ? 'is limited by the rule' : answerOf(decides)} in ${where}.`,
    ...(isVain ? ['An override decides, and all that it says is without effect:'] : []),
    ...withoutEffect.map(vainly),
  ];
  const answer = sentences.map(printable).join('\n');
  const nowMs = Date.now();
  const rows = [
    ...(decides === null ? [] : [row(decides, isVain ? 'yes, in vain' : 'yes', nowMs)]),
    ...others.map((other) => row(other, BECAUSE[other.because] ?? `no: ${other.because}`, nowMs)),
  ];
  if (rows.length === 0) return `${answer}\nNo block, exemption or override matches: the rule decides.`;
  return `${answer}\n\n${table(['DECIDES', 'KIND', 'MATCH', 'ENDS', 'REASON', 'BY', 'SINCE'], rows)}`;
}

type Vain = NonNullable<Explanation['withoutEffect']>;

/** Nothing is left of what the override says. */
function isWholeOfIt(decides: Exception | null, withoutEffect: Vain): boolean {
  const { limits = [] } = decides ?? {};
  const said = limits.flatMap(({ name, ...members }) =>
    Object.keys(members).map((member) => `${name ?? 'default'} ${member}`),
  );
  const isVain = (one: string) =>
    withoutEffect.some(({ name, members }) =>
      members.length === 0
        ? one.startsWith(`${name} `)
        : members.some((member) => one === `${name} ${member}`),
    );
  return said.length > 0 && said.every(isVain);
}

function vainly({ name, members }: Vain[number]): string {
  return members.length === 0
    ? `The rule has no limit or quota ${name} any more: what the override says of it is without effect.`
    : `The rule's ${name} takes no such ${members.join(' and ')} any more: this part of the override is without effect.`;
}

function answerOf(decides: Exception | null): string {
  if (decides === null) return 'is limited by the rule';
  if (decides.kind === 'block') return 'is blocked';
  return decides.kind === 'exemption'
    ? 'is exempt from all limits'
    : `has its own numbers (${limitsText(decides.limits ?? [])})`;
}

function row(
  { kind, match, expiresAt, reason, author, createdAt }: Exception,
  says: string,
  nowMs: number,
): Cell[] {
  return [
    says,
    kind,
    match,
    endCell(expiresAt, nowMs),
    reason === '' ? null : reason,
    author,
    localTime(createdAt),
  ];
}
