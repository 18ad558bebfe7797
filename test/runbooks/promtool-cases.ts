import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** One test of promtool: series, and which alerts fire when. */
export interface Case {
  readonly name: string;
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly alert_rule_test: readonly {
    readonly eval_time: string;
    readonly alertname: string;
    readonly exp_alerts: readonly { readonly exp_labels: Readonly<Record<string, string>> }[];
  }[];
}

export function promtoolCases(): readonly Case[] {
  const path = join(import.meta.dirname, 'alerts.promtool.yml');
  return (parse(readFileSync(path, 'utf8')) as { tests: Case[] }).tests;
}

const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Of `10m` 600. */
export function seconds(duration: string): number {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  const unitS = UNIT_S[unit];
  if (unitS === undefined) throw new Error(`no duration: ${duration}`);
  return Number(count) * unitS;
}

/** As the node `instance` would have told it at that moment: its series, and of each histogram its count. */
export function metricsAt({ input_series: all, interval }: Case, atS: number, instance: string): string {
  const at = Math.max(0, Math.floor(atS / seconds(interval)));
  const lines = all
    .filter(({ series }) => series.includes(`instance="${instance}"`))
    .flatMap(({ series, values }) => {
      const value = samples(String(values))[at];
      return value === undefined ? [] : [`${series} ${value}`];
    });
  const counts = lines
    .filter((line) => line.includes('le="+Inf"'))
    .map((line) => line.replace('_bucket{', '_count{').replace(/,?le="\+Inf"/, ''))
    .filter((line) => !lines.includes(line));
  return `${[...lines, ...counts].join('\n')}\n`;
}

/** Of `0x2 5+3x2` the numbers 0 0 0 5 8 11. */
function samples(notation: string): number[] {
  return notation.split(' ').flatMap((part) => {
    const [, first = '', step = '0', times = '0'] = /^(-?[\d.]+)([+-][\d.]+)?(?:x(\d+))?$/.exec(part) ?? [];
    if (first === '') throw new Error(`no samples: ${part}`);
    return Array.from({ length: Number(times) + 1 }, (_, turn) => Number(first) + turn * Number(step));
  });
}
