import { shellCommands } from './markdown.ts';

/** What must not be run on the wrong host, or at the wrong time: what it is called in a test's words, and how it looks. */
const DANGEROUS: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'stops, kills or restarts a service',
    /^systemctl (?:stop|disable|kill(?! --signal=CONT )|restart|mask|isolate|reboot|poweroff)\b/,
  ],
  ['ends the machine', /^(?:reboot|shutdown|poweroff|halt)\b/],
  ['kills a process', /^(?:kill|killall|pkill)\b/],
  ['sets a clock', /^(?:date (?:-s|--set)|timedatectl set-time|hwclock)\b/],
  ['bars the network', /^(?:iptables|ip6tables|nft|ip link|ip route)\b/],
  [
    'changes a Redis',
    /^redis-cli .*\b(?:config (?:set|rewrite)|replicaof|failover|client (?:pause|kill)|shutdown|acl (?:setuser|save)|bgsave|script kill|cluster (?:forget|reset))\b/,
  ],
  [
    'changes a PostgreSQL, or ends what others do there',
    /^psql .*\b(?:pg_(?:terminate|cancel)_backend|pg_promote|pg_reload_conf|alter|drop|delete|truncate|update|insert|create|grant)\b/i,
  ],
  ['makes or removes a database', /^(?:dropdb|createdb|pg_rewind|pg_restore)\b/],
  ['replaces the stores', /^brume (?:restore(?! --verify)|move)\b/],
  ['removes or moves data', /^(?:rm|mv|dd|shred|truncate) (?!-f \/tmp\/)/],
  [
    'goes back to an older package, or takes it away',
    /^(?:apt-get|apt|dnf) .*(?:--allow-downgrades|\b(?:purge|remove|downgrade)\b)/,
  ],
];

/** A sign of a process of one's own: `kill "$(cat /tmp/x.pid)"`. */
const OWN = /^kill "\$\(cat \/tmp\//;

/** What a command does that has to be asked for; undefined: nothing. */
export function dangerOf(command: string): string | undefined {
  if (OWN.test(command)) return undefined;
  const bare = command.replace(/^(?:[A-Z_]+=\S+ )*(?:sudo (?:-u \w+ )?)?(?:xargs (?:--?[\w-]+ )*)?/, '');
  return DANGEROUS.find(([, pattern]) => pattern.test(bare))?.[0];
}

/** The commands of a block that stand above its first line `# Only …`, and are dangerous. */
export function unaskedIn(block: string): string[] {
  const [before = ''] = block.split(/^# Only /m, 1);
  return shellCommands(before).filter((command) => dangerOf(command) !== undefined);
}

/** Dangerous commands in a sentence, which somebody may paste, unless it is one that tells not to. */
export function unaskedInProse(text: string): string[] {
  const sentences = text.replace(/^```.*?^```$/gms, '').split(/(?<=[.:!?])\s+|\n{2,}/);
  return sentences
    .filter((sentence) => !/\b(?:don't|never)\b/i.test(sentence))
    .flatMap((sentence) => [...sentence.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
    .filter((code) => dangerOf(code) !== undefined);
}
