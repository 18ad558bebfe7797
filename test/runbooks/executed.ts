import { headingsOf } from './markdown.ts';

/** What a command of a runbook is expected to do in a system that is well, and that may be changed. */
export interface Run {
  /** Absent: 0 alone. */
  readonly exits?: readonly number[];
  /** What it prints, where it can't do its work here: that it was understood is all that is seen. */
  readonly says?: RegExp;
  /** Run afterwards. */
  readonly undo?: string;
}

/** Why it is run in no test of this kind. */
export interface LeftOut {
  readonly reason: string;
}

const NO_CLUSTER = /cluster support disabled/;
const ALL_UNITS = 'brume.service brume.socket brume-management.socket brume-admin.socket';
const START_ALL = 'systemctl start redis-server redis-sentinel postgresql brume';

/** The first that matches counts. */
const COMMANDS: readonly (readonly [RegExp, Run | LeftOut])[] = [
  [/^(vi|systemctl edit) |\\password/, { reason: 'somebody types' }],
  [/^brume drill /, { reason: 'test/systemd/load-drills.booted.ts' }],
  [/^brume runbook check /, { reason: 'it watches for seconds: all at once, in a test of their own' }],
  [
    /^brume (restore|move) |moved\.json/,
    { reason: 'the stores are others afterwards; test/operations, test/stores' },
  ],
  [/^brume exempt import /, { reason: 'needs a file of identifiers; test/acceptance' }],
  [/^brume token /, { reason: 'needs an organisation with tokens; test/acceptance' }],
  [/^dnf /, { reason: 'not in Debian; test/packaging/load.packaged.ts' }],
  [/^apt-get /, { reason: 'needs packages; test/packaging/runbooks.packaged.ts' }],

  [/^systemctl status /, { exits: [0, 3, 4] }],
  [/^journalctl .*--grep /, { exits: [0, 1] }],
  [
    /^systemctl disable --now (brume\.service .*)$/,
    { undo: `systemctl enable ${ALL_UNITS} && ${START_ALL}` },
  ],
  [/^systemctl disable --now redis-server$/, { undo: `systemctl enable redis-server && ${START_ALL}` }],
  [/^systemctl kill --signal=STOP (\S+)$/, { undo: 'systemctl kill --signal=CONT redis-server' }],
  [/^systemctl kill --signal=KILL redis-server$/, { undo: START_ALL }],
  [/^systemctl stop /, { undo: START_ALL }],
  [/^systemctl (start|reload|restart|show|cat|kill|list-units|list-unit-files) /, {}],
  [/^(journalctl|timedatectl)\b/, {}],
  [/^chronyc /, { exits: [1], says: /Cannot talk to daemon/ }],

  [/^redis-cli .*\bcluster /, { says: NO_CLUSTER }],
  [/^redis-cli .*\bscript kill$/, { says: /^NOTBUSY/ }],
  [/^redis-cli .*\bacl save$/, { says: /not configured to use an ACL file/ }],
  [/^redis-cli .*\bacl setuser /, { says: /^OK$/m }],
  [/^redis-cli .*\bclient pause /, { says: /^OK$/m, undo: 'redis-cli -h OLD client unpause' }],
  [/^redis-cli .*\breplicaof no one$/, { says: /^OK$/m, undo: 'redis-cli -h NEW replicaof OLD 6379' }],
  [/^redis-cli .*\bmaxmemory /, { says: /^OK$/m, undo: 'redis-cli -h HOST config set maxmemory 0' }],
  [/^redis-cli .*\bsentinel failover /, { reason: 'the walk of redis-failover.md does it' }],
  [/^redis-cli .*\bcommandstats \| grep/, { exits: [0, 1] }],
  [/^redis-cli /, {}],
  [/^psql .*\bpg_promote\(/, { exits: [1], says: /recovery is not in progress/ }],
  [/^psql /, {}],

  [/^brume rules rollback /, { exits: [2], says: /Nobody can be asked here/ }],
  // Whoever is blocked by another is denied.
  [/^brume (peek|limit|block check) /, { exits: [0, 1] }],
  [/^brume /, {}],
  [/^BRUME_\w+=/, { reason: 'needs embedded stores; test/stores' }],
  [/^curl .*\| grep 'status="5xx"'/, { exits: [0, 1] }],
  [/^curl /, {}],
  [/^cp -a \/var\/lib\/brume (\S+)$/, { undo: 'rm -r /var/lib/brume.before-restore' }],
  [
    /^(chown|date|df|dmesg|du|findmnt|free|hostname|iostat|ls|openssl|ps|sha256sum|ss|top|umask|uptime|vmstat)\b/,
    {},
  ],
];

export function judged(command: string): Run | LeftOut | undefined {
  return COMMANDS.find(([pattern]) => pattern.test(command))?.[1];
}

/** Its commands as they are pasted, a line each, without those of the sections that are walked step by step. */
export function pastedLines(text: string): string[] {
  const walked = headingsOf(text).filter(({ title }) => title.startsWith('Step '));
  const rest = walked.reduce((left, { title }) => without(left, `#### ${title}`), text);
  return [...rest.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => line.replace(/\s+#\s.*$/, '').trim())
      .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('sleep ')),
  );
}

function without(text: string, heading: string): string {
  const [before = '', rest = ''] = text.split(`\n${heading}\n`);
  const next = /^#{2,4} /m.exec(rest.replace(/^```.*?^```$/gms, (code) => ' '.repeat(code.length)));
  return `${before}\n${next === null ? '' : rest.slice(next.index)}`;
}
