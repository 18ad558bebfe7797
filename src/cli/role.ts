import { Option } from 'commander';
import { ROLES } from '../tenancy/role.ts';

/** `--role`, from the one that may least to the one that may all. */
export function roleOption(description: string): Option {
  return new Option('--role <role>', description).choices(ROLES);
}

/** Who looks after Brume itself is a member of this organisation. */
export const DEFAULT_ORGANISATION = 'default';
