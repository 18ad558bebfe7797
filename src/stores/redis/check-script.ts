import { assetText } from '../../assets.ts';
import { type Script, scriptOf } from './script-caller.ts';

/** The parts of lua/ with which a script reads, changes and writes an identifier's state, in their order. */
const STATE_PARTS = [
  'prelude',
  'fixed-window',
  'sliding-window',
  'sliding-log',
  'bucket',
  'quota',
  'concurrency',
  'request',
  'request-ids',
  'reservations',
  'state',
  'stand',
] as const;

/** The script made of the state's parts and of these. */
function stateScript(...parts: readonly string[]): Script {
  return scriptOf([...STATE_PARTS, ...parts].map((part) => assetText(`lua/${part}.lua`)).join('\n'));
}

export const loadCheckScript = (): Script => stateScript('judge', 'check');
export const loadSettleScript = (): Script => stateScript('settle');
