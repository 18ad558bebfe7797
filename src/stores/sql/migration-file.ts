import { createHash } from 'node:crypto';
import { assetNames, assetText } from '../../assets.ts';
import { SchemaError } from './schema-error.ts';
import type { SqlDialect } from './sql.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Of the whole file, hexadecimal: an applied migration must never change. */
  readonly sha256: string;
  /** Executables that don't know this migration must not use the schema after it. */
  readonly isBreaking: boolean;
  readonly statements: Readonly<Record<SqlDialect, string>>;
}

const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/;
const BREAKING = /^-- breaks older executables: (yes|no)$/m;
/** `-- {strict}   postgres:    sqlite: strict`: what a placeholder stands for in each dialect. */
const PLACEHOLDER = /^-- \{([a-z_]+)\}\s+postgres:(.*?)\s+sqlite:(.*)$/gm;

/** The migrations that this executable carries, in order. */
export function carriedMigrations(): Migration[] {
  return assetNames('migrations')
    .filter((name) => name.endsWith('.sql'))
    .map((name) => parseMigration(name, assetText(`migrations/${name}`)));
}

/** Reads a migration file; `migrations/README.md` describes its form. */
export function parseMigration(fileName: string, text: string): Migration {
  const [, version, name] = FILE_NAME.exec(fileName) ?? [];
  const breaking = BREAKING.exec(text)?.[1];
  if (version === undefined || name === undefined) {
    throw new SchemaError(`a migration must be called NNNN-name.sql, not ${fileName}`);
  }
  if (breaking === undefined) {
    throw new SchemaError(`${fileName} lacks the line "-- breaks older executables: yes|no"`);
  }
  return {
    version: Number(version),
    name,
    sha256: createHash('sha256').update(text).digest('hex'),
    isBreaking: breaking === 'yes',
    statements: { postgres: render(fileName, text, 'postgres'), sqlite: render(fileName, text, 'sqlite') },
  };
}

function render(fileName: string, text: string, dialect: SqlDialect): string {
  const meanings = new Map<string, string>();
  for (const [, name, postgres, sqlite] of text.matchAll(PLACEHOLDER)) {
    if (name !== undefined) meanings.set(name, ((dialect === 'postgres' ? postgres : sqlite) ?? '').trim());
  }
  return text.replace(/^\s*--.*$/gm, '').replace(/\{([a-z_]+)\}/g, (placeholder, name: string) => {
    const meaning = meanings.get(name);
    if (meaning === undefined)
      throw new SchemaError(`${fileName} doesn't say what ${placeholder} stands for`);
    return meaning;
  });
}
