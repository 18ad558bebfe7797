import type { Command } from 'commander';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { table } from '../../table.ts';

export function tierList(group: Command, session: Session): void {
  const command = defineCommand(group, 'list', {
    summary: 'list the tiers',
    examples: ['brume tier list', 'brume tier list --json'],
  });
  withAdminOptions(command).action((options: AdminOptions) =>
    session.ask(options, async (client) => {
      const items = await client.tiers.list();
      const rows = items.map((tier) => [tier.name, tier.id, tier.callsPerDay, formatTime(tier.createdAt)]);
      const text = items.length === 0 ? NONE : table(['NAME', 'ID', 'CALLS A DAY', 'CREATED'], rows);
      return { json: { items }, text };
    }),
  );
}

const NONE = 'There are no tiers. Create one with: brume tier create NAME --calls-per-day 10000';
