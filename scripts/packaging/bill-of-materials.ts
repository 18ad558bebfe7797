import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
}

/**
 * What the executable is made of, as CycloneDX 1.6 in JSON: Node.js, and the packages that
 * package-lock.json names for the product. Without a time, and with a number that follows from what is
 * in it, so that the same commit gives the same text.
 */
export function billOfMaterials(root: string, version: string): string {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const { description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const components = new Map<string, object>();
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.dev === true) continue;
    const component = packageComponent(nameOf(path), entry);
    components.set(component['bom-ref'], component);
  }
  const node = process.versions.node;
  const all = [
    {
      type: 'platform',
      'bom-ref': `nodejs@${node}`,
      name: 'nodejs',
      version: node,
      cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:lts:*:*:*`,
      purl: `pkg:generic/nodejs@${node}`,
      licenses: [{ license: { id: 'MIT' } }],
    },
    ...[...components].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component),
  ];
  const product = {
    type: 'application',
    'bom-ref': `brume@${version}`,
    name: 'brume',
    version,
    description,
    licenses: [{ license: { id: license } }],
  };
  return `${JSON.stringify(
    {
      $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: `urn:uuid:${uuidOf(JSON.stringify([product, all]))}`,
      version: 1,
      metadata: { component: product },
      components: all,
    },
    null,
    2,
  )}\n`;
}

function packageComponent(name: string, { version, license = '', integrity = '' }: LockedPackage) {
  const [algorithm, hash = ''] = integrity.split('-', 2);
  if (algorithm !== 'sha512') throw new Error(`package-lock.json has no sha512 of ${name}@${version}`);
  return {
    type: 'library',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    licenses: [/ OR | AND /.test(license) ? { expression: license } : { license: { id: license } }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

/** `node_modules/a/node_modules/@b/c` is `@b/c`. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** A UUID of version 8 (RFC 9562), which is free in what it is made from. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
