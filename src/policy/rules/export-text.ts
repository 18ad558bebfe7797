import { yamlLines } from './rules-yaml.ts';

/** What is written of a project. */
interface Exported {
  readonly revision: number;
  readonly rules: unknown;
  readonly leftOut: readonly { readonly namespace: string; readonly kind: string; readonly match: string }[];
}

/** An exported project as the text of a file. */
export function exportText({ revision, rules, leftOut }: Exported): string {
  const header = [
    `# Rules of a Brume project, as of revision ${revision}; written by: brume rules export`,
    '# What this file would change:  brume rules diff FILE',
    '# To make it so:                brume rules apply FILE',
    ...leftOut.map(
      ({ namespace, kind, match }) =>
        `# Left out of ${namespace}, since its rule has no place for it: ${kind} of ${JSON.stringify(match)}, or a part of it`,
    ),
  ];
  return `${[...header, ...yamlLines(rules)].join('\n')}\n`;
}
