import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { BrumeError } from '../errors/catalogue.ts';

/**
 * Checks `value` against a schema and throws BrumeError `bad_request` for the first fault, naming
 * the member: `rule.limits[1].burst`. The text comes from the `description` of the member's schema.
 * `root` is empty where the value is the body of a call, which has no name.
 */
export function assertSchema(schema: TSchema, value: unknown, root: string): void {
  if (Value.Check(schema, value)) return;
  // Faults of single members first: "limits[0] has an unknown member" says less than its name does.
  const faults = Value.Errors(schema, value);
  const fault = faults.find(({ keyword }) => keyword !== 'additionalProperties') ?? faults[0];
  if (fault === undefined) throw new BrumeError('bad_request', { field: root });
  const at = memberName(root, fault.instancePath);
  if (fault.keyword === 'required') {
    const [missing] = fault.params.requiredProperties;
    throw badMember(memberOf(at, missing ?? ''), 'is required');
  }
  if (fault.keyword === 'boolean') throw badMember(at, 'is not a known member');
  throw badMember(at, `must be ${descriptionAt(schema, fault.schemaPath) ?? 'valid'}`);
}

/** A `bad_request` whose text is a whole sentence: the member's name, then what is wrong with it. */
export function badMember(field: string, fault: string): BrumeError {
  return new BrumeError('bad_request', { field, detail: `${field} ${sentenceEnd(fault)}` });
}

/** A question has its mark already. */
function sentenceEnd(fault: string): string {
  return /[.?!]$/.test(fault) ? fault : `${fault}.`;
}

/** `/limits/1/burst` → `rule.limits[1].burst`. */
function memberName(root: string, instancePath: string): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return memberAt(root, path);
}

/** Names of members, and places in lists. */
export type MemberPath = readonly (string | number)[];

/** `['limits', 1, 'burst']` → `rule.limits[1].burst`. */
export function memberAt(root: string, path: MemberPath): string {
  return path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : memberOf(name, part)),
    root,
  );
}

/** How a member is named in messages; the body of a call has no name of its own. */
export function memberOf(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}

function descriptionAt(schema: TSchema, schemaPath: string): string | undefined {
  let node: unknown = schema;
  for (const part of schemaPath.split('/').slice(1)) {
    if (typeof node !== 'object' || node === null) return undefined;
    node = Reflect.get(node, part);
  }
  if (typeof node !== 'object' || node === null) return undefined;
  const description: unknown = Reflect.get(node, 'description');
  return typeof description === 'string' ? description : undefined;
}
