import type { Logger } from './log.ts';

/** Which requests get a line. `sample` logs one in `oneIn`, and every fault of our own. */
export type AccessLogMode =
  | { readonly mode: 'off' | 'denied' | 'all' }
  | { readonly mode: 'sample'; readonly oneIn: number };

/** One answered request. No path, no header and no body: a path may hold keys and names. */
export interface AccessEntry {
  readonly requestId: string;
  /** Of the trace that it belongs to, if there is one. */
  readonly traceId?: string;
  readonly method: string;
  /** The route's pattern; null if there was none. */
  readonly route: string | null;
  readonly status: number;
  readonly durationMs: number;
  readonly project?: string;
  /** The key's public id. */
  readonly key?: string;
  readonly namespace?: string;
  readonly success?: boolean;
  readonly reason?: string;
  readonly degraded?: boolean;
  /** Only where identifiers were asked for. */
  readonly identifier?: string;
  readonly peer?: string;
}

/** What decides whether a request gets a line, before the line is made. */
interface AccessOutcome {
  readonly status: number;
  /** A verdict that denied, or a refusal of the call. */
  readonly isDenied: boolean;
}

export interface AccessLog {
  wants(outcome: AccessOutcome): boolean;
  write(entry: AccessEntry): void;
}

/** `random` gives numbers from 0 up to 1: samples taken by counting would follow any regular traffic. */
export function createAccessLog(setting: AccessLogMode, log: Logger, random: () => number): AccessLog {
  const sample = setting.mode === 'sample' ? { sampledOneIn: setting.oneIn } : undefined;
  return {
    wants: wanted(setting, random),
    write: (entry) =>
      log.info(sample === undefined || entry.status >= 500 ? entry : { ...entry, ...sample }, 'request'),
  };
}

function wanted(setting: AccessLogMode, random: () => number): AccessLog['wants'] {
  switch (setting.mode) {
    case 'off':
      return () => false;
    case 'all':
      return () => true;
    case 'denied':
      return ({ isDenied }) => isDenied;
    case 'sample':
      return ({ status }) => status >= 500 || random() * setting.oneIn < 1;
  }
}
