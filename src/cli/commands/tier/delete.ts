import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { confirmDelete, type DeleteOptions, NOT_DELETED, withYes } from '../../confirm-delete.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { type ExpectOptions, expectedBy, withExpect } from '../../expect-option.ts';
import { printable } from '../../printable.ts';
import type { Session } from '../../session.ts';

export function tierDelete(group: Command, session: Session): void {
  const command = defineCommand(group, 'delete', {
    summary: 'delete a tier that no project has',
    examples: ['brume tier delete free', 'brume tier delete free --yes'],
  }).argument('<tier>', 'name or id', name);
  withYes(withAdminOptions(withExpect(command))).action(
    (tier: string, options: DeleteOptions & ExpectOptions) =>
      session.ask(options, async (client) => {
        const what = `the tier ${printable(tier)}`;
        if (!(await confirmDelete(session.terminal, what, options))) return NOT_DELETED;
        await client.tiers.delete(tier, expectedBy(options));
        return { json: { deleted: true }, text: `Deleted ${what}.` };
      }),
  );
}
