import type { RouteOptions } from 'fastify';
import { isAtLeast, ROLES } from '../../src/tenancy/role.ts';
import { MANAGEMENT_WORDS } from './openapi/management-words.ts';
import type { PlaneRoutes } from './plane-routes.ts';

const INTRODUCTION = `<!-- Made by npm run docs out of the routes' own declarations (src/planes/management/): change it there. -->

# Who may do what

A member of an organisation has one of four roles, and each may do what those before it may:

- **viewer** sees everything but secrets, which nobody sees twice.
- **developer** changes namespaces, rules, exceptions and API keys, and asks for checks.
- **admin** makes and deletes projects, looks after members and reads the audit.
- **owner** renames and deletes the organisation, and makes others owners.

The role is read from the membership at each request: who is removed is refused from the next one on. Nobody
gives a role that is above their own, or changes somebody who has one.

- To **strangers**, what belongs to an organisation isn't there: 404, as for what doesn't exist.
- A member whose role is too little gets 403 \`forbidden_role\`, which says what is needed.
- Nobody, or somebody with a token that is no good, gets 401.
- The members of the organisation \`default\` look after the **installation**: users and tiers. Everybody else
  gets 403 there. To users they do nothing that is above them: nobody ends the sessions or the account of
  somebody who has a higher role, in whichever organisation, than their own in \`default\`.
- **Nobody is taken over.** Whoever makes a link for setting a password, or links somebody to an identity
  provider, can act as that user. So an owner of \`default\` may do that, or end such a link, only to users who
  have no higher role than they have themselves in each organisation of the user: those whom they may have made
  members themselves, and users without any role. Whether somebody has signed in before makes no difference. An
  owner of another organisation, new or with a forgotten password, is invited by whoever administers the
  machine, by \`sudo brume user invite\`, or by an owner of \`default\` who is an owner there too. Whoever makes
  somebody else's user a member trusts those who made the user: who can sign in as the user by then, still can.
  To disable or delete any user an owner of \`default\` needs no more: it stops an account, and is no way into it.
- **A link is worth what its maker may do**: it ends when its maker is no owner of \`default\` any more, is
  disabled or deleted, and isn't good while the user has a higher role than its maker in some organisation.
- **The admin socket** asks for nothing: who may open it may do everything.
- **A management token** has the role that it was made with, or its maker's where that is less by now, and that
  in one organisation only. What is marked *people* it can't do, whatever its role, since the
  power that it gave would outlive it: other tokens, organisations, members and their roles, links, identities, and what is done to users and their
  sessions. It ends for good when its maker's membership ends or its maker is disabled.
- **Who makes an organisation owns it.** Only an owner of \`default\`, or whoever administers the machine, names
  somebody else as its owner: an owner, of whichever organisation, gets in by nobody whose role there is less.
  For the same reason whoever makes a user a member takes the user's links away from those who have no such role
  there; whoever administers the machine can always make one.
- Names of projects and organisations are the installation's: who makes one with a name that somebody else has
  is told that it is taken.
`;

/** docs/roles.md: the same declarations by which requests are let through or not. */
export function rolesPage({ management }: PlaneRoutes): string {
  const routes = management.filter(({ method }) => method !== 'HEAD');
  const table = (heading: string, columns: string, rows: readonly string[]) =>
    [
      `## ${heading}`,
      '',
      `| call | does | ${columns} |`,
      `|---|---|${columns.replaceAll(/[^|]+/g, '---')}|`,
      ...rows,
      '',
    ].join('\n');
  const rowsWithin = (within: string) => routes.filter(({ config }) => config?.within === within).map(rowOf);
  const columns = ROLES.join(' | ');
  return [
    INTRODUCTION,
    table('In the organisation that owns the project', columns, rowsWithin('project')),
    table('In the organisation', columns, rowsWithin('organisation')),
    table('In the organisation `default`', columns, rowsWithin('installation')),
    table(
      'Everybody who is known, about their own',
      'what is theirs',
      routes.filter(({ config }) => config?.within === 'own').map((route) => `${callOf(route)} yes |`),
    ),
    table(
      'Without a role',
      'for whom',
      routes
        .filter(({ config }) => config?.role === undefined)
        .map((route) => `${callOf(route)} ${route.config?.guard ?? 'everybody'} |`),
    ),
  ].join('\n');
}

function rowOf(route: RouteOptions): string {
  const least = route.config?.role ?? 'owner';
  return `${callOf(route)} ${ROLES.map((role) => (isAtLeast(role, least) ? 'yes' : '–')).join(' | ')} |`;
}

function callOf({ method, url, config }: RouteOptions): string {
  const call = `${String(method)} ${url}`;
  const mark = config?.isForPeople === true ? ' (people)' : '';
  return `| \`${call}\` | ${MANAGEMENT_WORDS[call]?.summary ?? ''}${mark} |`;
}
