import { callApi, path, TIMEOUT_MS } from './call-api.ts';
import { ExceptionCalls } from './exceptions.ts';
import type { Request } from './exchange.ts';
import { listAll } from './list-all.ts';
import { OrganisationCalls } from './organisations.ts';
import type {
  ApiKey,
  Check,
  Counted,
  CreatedApiKey,
  Lease,
  Namespace,
  NewApiKey,
  Project,
  Rule,
  Verdict,
} from './resources.ts';
import { RulesCalls } from './rules.ts';
import type { Target } from './target.ts';
import { UserCalls } from './users.ts';

/**
 * The management routes as methods. Each rejects with an ApiError if Brume refuses, and with a
 * ConnectionError if it can't be reached or does not answer in time. Nothing is sent twice.
 * Projects are named by id or name, namespaces by name, keys by id.
 */
export class ApiClient {
  /** Blocks, exemptions and overrides. */
  readonly exceptions = new ExceptionCalls((method, url, body) => this.#call(method, url, body));
  /** A project's rules as a whole, and its history. */
  readonly rules = new RulesCalls((request) => callApi(this.#target, request, this.#timeoutMs));
  /** Organisations, their members and management tokens. */
  readonly organisations = new OrganisationCalls((method, url, body) => this.#call(method, url, body));
  readonly users = new UserCalls((method, url, body) => this.#call(method, url, body));
  readonly #target: Target;
  readonly #timeoutMs: number;

  constructor(target: Target, options: { timeoutMs?: number } = {}) {
    this.#target = target;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  listProjects(): Promise<Project[]> {
    return this.#list('/v1/projects');
  }

  createProject(name: string): Promise<Project> {
    return this.#call('POST', '/v1/projects', { name });
  }

  showProject(project: string): Promise<Project> {
    return this.#call('GET', path`/v1/projects/${project}`);
  }

  async deleteProject(project: string): Promise<void> {
    await this.#call('DELETE', path`/v1/projects/${project}`);
  }

  listKeys(project: string): Promise<ApiKey[]> {
    return this.#list(path`/v1/projects/${project}/keys`);
  }

  createKey(project: string, key: NewApiKey): Promise<CreatedApiKey> {
    return this.#call('POST', path`/v1/projects/${project}/keys`, key);
  }

  revokeKey(project: string, key: string): Promise<ApiKey> {
    return this.#call('DELETE', path`/v1/projects/${project}/keys/${key}`);
  }

  listNamespaces(project: string): Promise<Namespace[]> {
    return this.#list(path`/v1/projects/${project}/namespaces`);
  }

  createNamespace(project: string, name: string, rule: Rule): Promise<Namespace> {
    return this.#call('POST', path`/v1/projects/${project}/namespaces`, { name, rule });
  }

  showNamespace(project: string, namespace: string): Promise<Namespace> {
    return this.#call('GET', path`/v1/projects/${project}/namespaces/${namespace}`);
  }

  updateNamespace(project: string, namespace: string, rule: Rule): Promise<Namespace> {
    return this.#call('PUT', path`/v1/projects/${project}/namespaces/${namespace}`, { rule });
  }

  async deleteNamespace(project: string, namespace: string): Promise<void> {
    await this.#call('DELETE', path`/v1/projects/${project}/namespaces/${namespace}`);
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
    const query = new URLSearchParams({ identifier });
    const url = `${path`/v1/projects/${project}/namespaces/${namespace}/leases`}?${query}`;
    return (await this.#call<{ items: Lease[] }>('GET', url)).items;
  }

  async releaseLease(project: string, lease: string): Promise<void> {
    await this.#call('DELETE', path`/v1/projects/${project}/leases/${lease}`);
  }

  #list<T>(url: string): Promise<T[]> {
    return listAll((method, at, body) => this.#call(method, at, body), url);
  }

  #call<T>(method: Request['method'], url: string, body?: unknown): Promise<T> {
    return callApi(this.#target, { method, path: url, body }, this.#timeoutMs);
  }
}
