import { assetText } from '../../assets.ts';
import { type Script, scriptOf } from './script-caller.ts';

/** The parts of lua/, in the order in which they are joined into the one script. */
const PARTS = [
  'prelude',
  'fixed-window',
  'sliding-window',
  'sliding-log',
  'bucket',
  'quota',
  'concurrency',
  'request',
  'request-ids',
  'state',
  'judge',
  'check',
] as const;

export function loadCheckScript(): Script {
  return scriptOf(PARTS.map((part) => assetText(`lua/${part}.lua`)).join('\n'));
}
