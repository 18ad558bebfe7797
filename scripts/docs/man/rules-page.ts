import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rulesJsonSchema } from '../../../src/policy/rules/json-schema.ts';
import { block, bold, item, manualPage, paragraph, prose, section, subsection } from './roff.ts';

interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

/** A kind of object in a file of rules. */
interface Part {
  /** As it is reached from the top: `namespaces.NAME.limits[]`. */
  readonly path: string;
  readonly schema: Schema;
}

/** packaging/man/brume-rules.5 */
export function rulesManual(): string {
  const parts = partsOf({ path: '', schema: rulesJsonSchema() });
  return manualPage({ name: 'brume-rules', section: 5, summary: "a file of a project's rules for Brume" }, [
    section(
      'Description',
      prose(
        'A file of rules says what the namespaces of one project are, and, where that is wanted, who is blocked, exempted or has other limits. `brume rules apply FILE` makes it so, all of it or nothing, and `brume rules diff FILE` shows first what would change. It is YAML 1.2, one document, at most 16 MiB.',
      ),
      paragraph(
        prose(
          'A member that is not known, one that is there twice, and a value of another type than wanted are refused, with file, line and column. Of two members that say the same in different units, such as `window` and `windowMs`, only one may be there.',
        ),
      ),
    ),
    section('Members', ...parts.map(partText)),
    section('Example', block(firstExample())),
    section(
      'See also',
      prose('`brume`(1), `brume.conf`(5)'),
      paragraph(
        prose(
          '`brume help rules-as-code`, `brume help limits` and `brume help exceptions` say more; `brume rules schema` prints the schema for an editor.',
        ),
      ),
    ),
  ]);
}

/** An object and those in it, from the outside inwards. */
function partsOf(part: Part): Part[] {
  const { path, schema } = part;
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    inner(path === '' ? name : `${path}.${name}`, member),
  );
  return [part, ...members.flatMap(partsOf)];
}

function inner(path: string, schema: Schema): Part[] {
  if (schema.items?.properties !== undefined) return [{ path: `${path}[]`, schema: schema.items }];
  const [entry] = Object.values(schema.patternProperties ?? {});
  if (entry !== undefined) return [{ path: `${path}.NAME`, schema: entry }];
  return schema.properties === undefined ? [] : [{ path, schema }];
}

function partText({ path, schema }: Part): string {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const isNeeded = schema.required?.includes(name) ?? false;
    const facts = `${member.title}${isNeeded ? ' (required)' : ''}: ${member.description}.`;
    return item(bold(name), facts);
  });
  return subsection(
    path === '' ? 'The file' : path,
    prose(`${capital(schema.description ?? '')}.`),
    ...members,
  );
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The first file of docs/rules-as-code.md, whose examples a test applies. */
function firstExample(): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/rules-as-code.md'), 'utf8');
  const example = /```yaml\n(.*?)\n```/s.exec(page)?.[1];
  if (example === undefined) throw new Error('docs/rules-as-code.md has no example');
  return example.split('\n');
}
