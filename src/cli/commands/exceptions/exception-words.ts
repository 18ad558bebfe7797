import type { ExceptionCollection } from '../../../client/exceptions.ts';

/** What the commands of one kind are called, and how they speak of it. */
export interface ExceptionWords {
  readonly collection: ExceptionCollection;
  /** As it is typed: `brume exempt …`. */
  readonly group: string;
  readonly noun: string;
  readonly plural: string;
  /** With its article. */
  readonly one: string;
}

export const BLOCK: ExceptionWords = {
  collection: 'blocks',
  group: 'block',
  noun: 'block',
  plural: 'blocks',
  one: 'a block',
};

export const EXEMPTION: ExceptionWords = {
  collection: 'exemptions',
  group: 'exempt',
  noun: 'exemption',
  plural: 'exemptions',
  one: 'an exemption',
};

export const OVERRIDE: ExceptionWords = {
  collection: 'overrides',
  group: 'override',
  noun: 'override',
  plural: 'overrides',
  one: 'an override',
};
