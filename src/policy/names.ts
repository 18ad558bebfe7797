/** Names of projects, namespaces, limits and quotas. */
export const NAME_PATTERN = '^[a-z0-9][a-z0-9._-]{0,63}$';

/** `text`: compared byte for byte. `ip`: an address, parsed and cut to a prefix first. */
export const NAMESPACE_KINDS = ['text', 'ip'] as const;
export type NamespaceKind = (typeof NAMESPACE_KINDS)[number];
