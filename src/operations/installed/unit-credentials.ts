/** A credential, and where the unit has systemd take it from: a path, or a name that is looked for. */
export interface LoadedCredential {
  readonly name: string;
  readonly source: string;
}

/** The credentials that a unit gives its process. */
export interface UnitCredentials {
  readonly credentials: readonly LoadedCredential[];
  readonly encryptedCredentials: readonly LoadedCredential[];
  /** Names of credentials whose text stands in the unit itself. */
  readonly setCredentials: readonly string[];
}

/**
 * As the lines of a unit and its drop-ins say: a name that comes again replaces what was said of it, and an empty
 * value takes back all (systemd.exec(5)).
 */
export function unitCredentials(text: string): UnitCredentials {
  const loaded = new Map<string, { readonly source: string; readonly isEncrypted: boolean }>();
  const set = new Set<string>();
  for (const line of text.replaceAll(/\\\n/g, ' ').split('\n')) {
    const [, verb, encrypted, value = ''] =
      /^\s*(Load|Set)Credential(Encrypted)?\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (verb === undefined) continue;
    const [name = '', source = name] = value.split(/:\s*(.*)/s, 2);
    if (verb === 'Set' && value === '') set.clear();
    else if (verb === 'Set') set.add(name);
    else if (value === '') loaded.clear();
    else loaded.set(name, { source, isEncrypted: encrypted !== undefined });
  }
  const those = (isEncrypted: boolean) =>
    [...loaded]
      .filter(([, credential]) => credential.isEncrypted === isEncrypted)
      .map(([name, { source }]) => ({ name, source }));
  return { credentials: those(false), encryptedCredentials: those(true), setCredentials: [...set] };
}
