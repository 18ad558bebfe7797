/** Names of projects, namespaces, limits and quotas. */
export const NAME_PATTERN = '^[a-z0-9][a-z0-9._-]{0,63}$';
/** The same in words, behind "must be". */
export const NAME_WORDS = '1 to 64 characters of a-z, 0-9, ".", "_" and "-", the first one a letter or digit';

/** `text`: compared byte for byte. `ip`: an address, parsed and cut to a prefix first. */
export const NAMESPACE_KINDS = ['text', 'ip'] as const;
export type NamespaceKind = (typeof NAMESPACE_KINDS)[number];
