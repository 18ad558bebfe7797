import { assetText } from '../../assets.ts';
import { type Script, scriptOf } from './script.ts';

/** The parts of lua/ with which a script reads, changes and writes an identifier's state, in their order. */
const STATE_PARTS = [
  'clock',
  'moving',
  'prelude',
  'fixed-window',
  'sliding-window',
  'sliding-log',
  'bucket',
  'quota',
  'concurrency',
  'request',
  'reservations',
  'request-ids',
  'state',
  'stand',
] as const;

/** One script of these parts of lua/. */
function joined(...parts: readonly string[]): Script {
  return scriptOf(parts.map((part) => assetText(`lua/${part}.lua`)).join('\n'));
}

export const loadCheckScript = (): Script => joined(...STATE_PARTS, 'judge', 'check');
export const loadSettleScript = (): Script => joined(...STATE_PARTS, 'settle');
export const loadMergeScript = (): Script => joined(...STATE_PARTS, 'merge');
export const loadLeaseScript = (): Script => joined('clock', 'lease');
export const loadRestoreScript = (): Script => joined('clock', 'restore');
export const loadAnnounceScript = (): Script => joined('clock', 'announce');
export const loadProbeScript = (): Script => joined('probe');
export const loadResetScript = (): Script => joined('moving', 'reset');
