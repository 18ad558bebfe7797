import { AuditCalls } from './audit.ts';
import { callApi, path, TIMEOUT_MS } from './call-api.ts';
import { ExceptionCalls } from './exceptions.ts';
import { type Expected, ifMatch } from './if-match.ts';
import { type Call, listAll, queryOf } from './list-all.ts';
import { OrganisationCalls } from './organisations.ts';
import type {
  ApiKey,
  Check,
  Counted,
  CreatedApiKey,
  KeyRotation,
  Lease,
  Namespace,
  NewApiKey,
  Project,
  RotatedApiKey,
  Rule,
  Top,
  Verdict,
  WhoAmI,
} from './resources.ts';
import { RulesCalls } from './rules.ts';
import type { Status } from './status.ts';
import type { Target } from './target.ts';
import { TierCalls } from './tiers.ts';
import { UsageCalls } from './usage.ts';
import { UserCalls } from './users.ts';

/**
 * The management routes as methods. Each rejects with an ApiError if Brume refuses, and with a
 * ConnectionError if it can't be reached or does not answer in time. Nothing is sent twice.
 * Projects are named by id or name, namespaces by name, keys by id.
 */
export class ApiClient {
  /** Who changed what. */
  readonly audit: AuditCalls;
  /** Blocks, exemptions and overrides. */
  readonly exceptions: ExceptionCalls;
  /** Organisations, their members and management tokens. */
  readonly organisations: OrganisationCalls;
  /** A project's rules as a whole, and its history. */
  readonly rules: RulesCalls;
  /** Ceilings of calls a day. */
  readonly tiers: TierCalls;
  /** How much a project uses. */
  readonly usage: UsageCalls;
  readonly users: UserCalls;
  readonly #call: Call;

  constructor(target: Target, { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {}) {
    const call: Call = (method, url, body, headers) =>
      callApi(target, { method, path: url, body, ...(headers && { headers }) }, timeoutMs);
    this.audit = new AuditCalls(call);
    this.exceptions = new ExceptionCalls(call);
    this.organisations = new OrganisationCalls(call);
    this.rules = new RulesCalls((request) => callApi(target, request, timeoutMs));
    this.tiers = new TierCalls(call);
    this.usage = new UsageCalls(call);
    this.users = new UserCalls(call);
    this.#call = call;
  }

  /** Whose token it is, and their roles. Over the admin socket nobody is anybody: `unknown_route`. */
  whoAmI(): Promise<WhoAmI> {
    return this.#call('GET', '/v1/session');
  }

  /** What the node that answers says of itself. */
  status(): Promise<Status> {
    return this.#call('GET', '/v1/status');
  }

  /** Those of one organisation, by id or name, or all that may be seen. */
  listProjects({ organisation }: { readonly organisation?: string } = {}): Promise<Project[]> {
    return listAll(this.#call, '/v1/projects', { organisation });
  }

  /** In the organisation `default` unless another one is named. */
  createProject(name: string, { organisation }: { readonly organisation?: string } = {}): Promise<Project> {
    return this.#call('POST', '/v1/projects', { name, organisation });
  }

  showProject(project: string): Promise<Project> {
    return this.#call('GET', path`/v1/projects/${project}`);
  }

  async deleteProject(project: string, expected: Expected = {}): Promise<void> {
    await this.#call('DELETE', path`/v1/projects/${project}`, undefined, ifMatch(expected));
  }

  listKeys(project: string): Promise<ApiKey[]> {
    return listAll(this.#call, path`/v1/projects/${project}/keys`);
  }

  createKey(project: string, key: NewApiKey): Promise<CreatedApiKey> {
    return this.#call('POST', path`/v1/projects/${project}/keys`, key);
  }

  showKey(project: string, key: string): Promise<ApiKey> {
    return this.#call('GET', path`/v1/projects/${project}/keys/${key}`);
  }

  /** Makes a key like this one, which goes on for an overlap. */
  rotateKey(project: string, key: string, rotation: KeyRotation): Promise<RotatedApiKey> {
    return this.#call('POST', path`/v1/projects/${project}/keys/${key}/rotate`, rotation);
  }

  revokeKey(project: string, key: string): Promise<ApiKey> {
    return this.#call('DELETE', path`/v1/projects/${project}/keys/${key}`);
  }

  listNamespaces(project: string): Promise<Namespace[]> {
    return listAll(this.#call, path`/v1/projects/${project}/namespaces`);
  }

  createNamespace(project: string, name: string, rule: Rule): Promise<Namespace> {
    return this.#call('POST', path`/v1/projects/${project}/namespaces`, { name, rule });
  }

  showNamespace(project: string, namespace: string): Promise<Namespace> {
    return this.#call('GET', path`/v1/projects/${project}/namespaces/${namespace}`);
  }

  updateNamespace(
    project: string,
    namespace: string,
    rule: Rule,
    expected: Expected = {},
  ): Promise<Namespace> {
    const url = path`/v1/projects/${project}/namespaces/${namespace}`;
    return this.#call('PUT', url, { rule }, ifMatch(expected));
  }

  async deleteNamespace(project: string, namespace: string, expected: Expected = {}): Promise<void> {
    const url = path`/v1/projects/${project}/namespaces/${namespace}`;
    await this.#call('DELETE', url, undefined, ifMatch(expected));
  }

  /** The identifiers that come most and are denied most, at most `limit` of each; of the node that answers. */
  top(project: string, namespace: string, { limit }: { readonly limit?: number } = {}): Promise<Top> {
    return this.#call('GET', path`/v1/projects/${project}/namespaces/${namespace}/top` + queryOf({ limit }));
  }

  /** Checks and consumes. A denial is a verdict, not an error. */
  limit(project: string, check: Check): Promise<Verdict> {
    return this.#call('POST', path`/v1/projects/${project}/limit`, check);
  }

  /** The same verdict, consuming nothing. */
  peek(project: string, check: Check): Promise<Verdict> {
    return this.#call('POST', path`/v1/projects/${project}/peek`, check);
  }

  /** Forgets what an identifier used, and its request ids. */
  async reset(project: string, counted: Counted): Promise<void> {
    await this.#call('POST', path`/v1/projects/${project}/reset`, counted);
  }

  /** The leases that an identifier holds, the next to run out first. */
  async listLeases(project: string, { namespace, identifier }: Counted): Promise<Lease[]> {
    const url = path`/v1/projects/${project}/namespaces/${namespace}/leases` + queryOf({ identifier });
    return (await this.#call<{ items: Lease[] }>('GET', url)).items;
  }

  async releaseLease(project: string, lease: string): Promise<void> {
    await this.#call('DELETE', path`/v1/projects/${project}/leases/${lease}`);
  }
}
