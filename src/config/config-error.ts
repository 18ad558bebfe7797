import { counted } from '../errors/counted.ts';

/** One thing that is wrong with the configuration, in words for the operator. No secret is in it. */
export interface ConfigFault {
  /** The name as it was given; null where no variable could be made out. */
  readonly variable: string | null;
  /** `environment`, `/etc/brume/brume.conf, line 3`, … */
  readonly where: string;
  /** What is wrong: a sentence without its full stop. */
  readonly problem: string;
  /** What would be right; a sentence without its full stop. */
  readonly remedy: string;
}

/** The configuration can't be used. Lists every fault at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** EX_CONFIG of sysexits.h. */
  readonly exitCode = 78;
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    const count = counted(faults.length, 'fault');
    super([`The configuration has ${count}:`, ...faults.map(faultLine)].join('\n'));
    this.faults = faults;
  }
}

function faultLine({ variable, where, problem, remedy }: ConfigFault): string {
  return `  ${variable === null ? where : `${variable} (${where})`}: ${problem}. ${remedy}.`;
}
