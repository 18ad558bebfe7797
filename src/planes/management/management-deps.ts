import type { Clock } from '../../limiter/clock.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import type { ExceptionStore } from '../../policy/exceptions/exception-store.ts';
import type { PolicySnapshot } from '../../policy/namespace.ts';
import type { PolicyStore } from '../../policy/policy-store.ts';
import type { RulesStore } from '../../policy/rules/rules-store.ts';
import type { TopIdentifiers } from '../../telemetry/top/top-identifiers.ts';
import type { AuditStore } from '../../tenancy/audit.ts';
import type { ManagementTokenStore } from '../../tenancy/management-token.ts';
import type { OrganisationStore } from '../../tenancy/organisation.ts';
import type { TenancyStore } from '../../tenancy/tenancy-store.ts';
import type { TierStore } from '../../tenancy/tier.ts';
import type { UsageStore } from '../../tenancy/usage.ts';
import type { UserStore } from '../../tenancy/user.ts';
import type { NodeStatus } from './node-status.ts';

/**
 * What the management routes stand on: ports only. The stores are durable when they resolve, and
 * then this node's snapshot has the change too, so that whoever wrote it can check against it.
 */
export interface ManagementDeps {
  readonly tenancy: TenancyStore;
  readonly organisations: OrganisationStore;
  readonly users: UserStore;
  readonly tokens: ManagementTokenStore;
  readonly tiers: TierStore;
  readonly audit: AuditStore;
  readonly usage: UsageStore;
  readonly policy: PolicyStore;
  readonly exceptions: ExceptionStore;
  readonly rules: RulesStore;
  readonly snapshot: PolicySnapshot;
  readonly limiter: Limiter;
  readonly clock: Clock;
  /** Where people reach the management plane, for the links of invitations. */
  readonly managementUrl: string;
  /** What this node says of itself; absent where there is nobody to say it. */
  readonly status?: (() => Promise<NodeStatus>) | undefined;
  /** Undefined: no identifiers are watched. */
  readonly top?: Pick<TopIdentifiers, 'top'> | undefined;
}
