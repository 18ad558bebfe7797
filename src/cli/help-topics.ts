import { assetText } from '../assets.ts';

/** A page of the documentation that the executable carries. */
export interface HelpTopic {
  /** As it is asked for: `brume help NAME`. The names of commands are taken. */
  readonly name: string;
  /** In docs/. */
  readonly file: string;
  /** One line for the list of topics, without a full stop. */
  readonly summary: string;
}

export const HELP_TOPICS: readonly HelpTopic[] = [
  { name: 'running', file: 'running.md', summary: 'starting, stopping, and stores that are gone' },
  { name: 'packages', file: 'packages.md', summary: 'installing, upgrading and removing packages' },
  { name: 'configuration', file: 'configuration.md', summary: 'every setting' },
  { name: 'tuning', file: 'tuning.md', summary: 'what the kernel and the service manager should allow' },
  { name: 'health', file: 'doctor.md', summary: 'what brume doctor looks at' },
  { name: 'alerts', file: 'alerts.md', summary: 'alerts for Prometheus, and a dashboard' },
  { name: 'drills', file: 'drills.md', summary: 'rehearsing faults under load' },
  { name: 'redis-server', file: 'redis.md', summary: 'one server, TLS, Sentinels or a cluster' },
  { name: 'redis-faults', file: 'redis-faults.md', summary: 'what Redis can meet, and what Brume does then' },
  { name: 'backups', file: 'backup.md', summary: 'backups, restoring them, and moving to other stores' },
  { name: 'limits', file: 'rules.md', summary: 'what a rule can say, with examples' },
  { name: 'algorithms', file: 'algorithms.md', summary: 'which algorithm admits what, at which cost' },
  { name: 'rules-as-code', file: 'rules-as-code.md', summary: "a project's rules as a file" },
  { name: 'exceptions', file: 'exceptions.md', summary: 'blocks, exemptions and overrides' },
  { name: 'protection', file: 'protection.md', summary: 'what is done about callers that ask too often' },
  { name: 'api', file: 'api.md', summary: 'the calls of the data plane' },
  { name: 'nginx', file: 'nginx.md', summary: 'Brume behind nginx' },
  { name: 'haproxy', file: 'haproxy.md', summary: 'Brume behind HAProxy' },
  { name: 'caddy', file: 'caddy.md', summary: 'Brume behind Caddy' },
  { name: 'traefik', file: 'traefik.md', summary: 'Brume behind Traefik' },
  { name: 'envoy', file: 'envoy.md', summary: 'Brume behind Envoy' },
  { name: 'management', file: 'management.md', summary: 'the management API' },
  { name: 'sign-in', file: 'sign-in.md', summary: 'who may manage Brume over the network' },
  { name: 'roles', file: 'roles.md', summary: 'who may do what' },
  { name: 'auditing', file: 'audit.md', summary: 'organisations, keys, tiers, and who changed what' },
  { name: 'usage-figures', file: 'usage.md', summary: 'how much each namespace and key is used' },
  { name: 'metrics', file: 'metrics.md', summary: 'every metric' },
  { name: 'tracing', file: 'tracing.md', summary: 'traces for an OpenTelemetry collector' },
];

export function helpTopic(name: string): HelpTopic | undefined {
  return HELP_TOPICS.find((topic) => topic.name === name);
}

/** The page as it is read at a terminal: without comments, and with links as the names of their topics. */
export function topicText({ file }: HelpTopic): string {
  return assetText(`docs/${file}`)
    .replace(/^<!--.*?-->\n+/s, '')
    .replace(/!\[([^\]]*)\]\([^)]*\)\n*/g, '')
    .replace(/\[([^\]]+)\]\(([^)#\s]*)(#[^)]*)?\)/g, (_, text: string, target: string) => {
      const topic = HELP_TOPICS.find((other) => other.file === target && other.file !== file);
      if (topic !== undefined) return `${text} (brume help ${topic.name})`;
      return /^https?:/.test(target) ? `${text} <${target}>` : text;
    })
    .trimEnd();
}
