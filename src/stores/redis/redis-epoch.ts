import { randomBytes } from 'node:crypto';
import { assetText } from '../../assets.ts';
import type { StoreEpoch } from '../checkpoints/quota-checkpoint.ts';
import { scriptOf } from './script.ts';
import type { ScriptCaller } from './script-caller.ts';

export const EPOCH_KEY = '{brume}epoch';
const MARK_BYTES = 12;

/** The mark of lua/epoch.lua. */
export class RedisEpoch implements StoreEpoch {
  readonly #caller: ScriptCaller;
  readonly #script = scriptOf(assetText('lua/epoch.lua'));

  constructor(caller: ScriptCaller) {
    this.#caller = caller;
  }

  async look(): Promise<string | undefined> {
    return (await this.#call('look')) || undefined;
  }

  begin(): Promise<string> {
    return this.#call('begin', randomBytes(MARK_BYTES).toString('base64url'));
  }

  async finish(mark: string): Promise<boolean> {
    return (await this.#call('finish', mark)) === mark;
  }

  onConnect(listener: () => void): void {
    this.#caller.onConnect(listener);
  }

  #call(call: 'look' | 'begin' | 'finish', mark = ''): Promise<string> {
    return this.#caller.within(EPOCH_KEY, async (attempt) =>
      String(await attempt().evaluate(this.#script, [EPOCH_KEY], [call, mark])),
    );
  }
}
