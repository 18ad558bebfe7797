-- Organisations, their members and tokens, tiers, and who changed what.
--
-- breaks older executables: no
--
-- {text}      postgres: text collate "C"    sqlite: text
-- {bigint}    postgres: bigint              sqlite: integer
-- {small}     postgres: smallint            sqlite: integer
-- {strict}    postgres:                     sqlite: strict
-- {now}       postgres: cast(extract(epoch from now()) * 1000 as bigint)    sqlite: cast(unixepoch('subsec') * 1000 as integer)

create table organisations (
  id {text} not null primary key,
  name {text} not null unique check (length(name) between 1 and 64),
  version {bigint} not null,
  created_at {bigint} not null,
  updated_at {bigint} not null
) {strict};

-- What no other organisation owns belongs to this one, which stays.
insert into organisations (id, name, version, created_at, updated_at)
values ('org_default', 'default', 1, {now}, {now});

-- A ceiling of calls a day, from midnight to midnight UTC. Projects without a tier have none.
create table tiers (
  id {text} not null primary key,
  name {text} not null unique check (length(name) between 1 and 64),
  calls_per_day {bigint} not null check (calls_per_day >= 0),
  version {bigint} not null,
  created_at {bigint} not null,
  updated_at {bigint} not null
) {strict};

-- Projects that older executables make have no organisation here: they are org_default's.
alter table projects add column organisation_id {text} references organisations (id);
alter table projects add column tier_id {text} references tiers (id);
alter table projects add column version {bigint} not null default 1;
update projects set organisation_id = 'org_default';

create index projects_organisation on projects (organisation_id);
create index projects_tier on projects (tier_id);

-- A key that was replaced goes on until expires_at: rotation with an overlap.
alter table api_keys add column replaces {text};
alter table api_keys add column last_used_at {bigint};

-- People. Whoever signs in here has a password_hash; whoever comes by another issuer has identities.
create table users (
  id {text} not null primary key,
  login {text} not null unique check (length(login) between 1 and 64),
  password_hash {text},
  is_disabled {small} not null check (is_disabled in (0, 1)),
  created_at {bigint} not null,
  updated_at {bigint} not null
) {strict};

create table identities (
  issuer {text} not null,
  subject {text} not null,
  user_id {text} not null references users (id) on delete cascade,
  created_at {bigint} not null,
  primary key (issuer, subject)
) {strict};

create index identities_user on identities (user_id);

create table members (
  organisation_id {text} not null references organisations (id) on delete cascade,
  user_id {text} not null references users (id) on delete cascade,
  role {text} not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  created_at {bigint} not null,
  updated_at {bigint} not null,
  primary key (organisation_id, user_id)
) {strict};

create index members_user on members (user_id);

-- Of sign-ins here; the token names the session, and ends with it.
create table sessions (
  id {text} not null primary key,
  user_id {text} not null references users (id) on delete cascade,
  created_at {bigint} not null,
  expires_at {bigint} not null,
  revoked_at {bigint}
) {strict};

create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

-- One-time links by which somebody sets a password.
create table invitations (
  sha256 {text} not null primary key check (length(sha256) = 64),
  user_id {text} not null references users (id) on delete cascade,
  created_at {bigint} not null,
  expires_at {bigint} not null,
  used_at {bigint}
) {strict};

create index invitations_user on invitations (user_id);
create index invitations_expiry on invitations (expires_at);

-- For automation. made_by is null where the command line on the machine made it.
create table management_tokens (
  id {text} not null primary key,
  organisation_id {text} not null references organisations (id) on delete cascade,
  name {text} not null,
  role {text} not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  sha256 {text} not null unique check (length(sha256) = 64),
  prefix {text} not null,
  made_by {text} references users (id) on delete cascade,
  created_at {bigint} not null,
  expires_at {bigint} not null,
  revoked_at {bigint},
  last_used_at {bigint}
) {strict};

create index management_tokens_organisation on management_tokens (organisation_id);
create index management_tokens_maker on management_tokens (made_by);

-- Who changed what: one row for each change, written in its transaction, and only ever appended. Refers
-- to nothing, so that it stays when what it tells of is gone.
create table audit (
  revision {bigint} not null primary key,
  at {bigint} not null,
  actor {text} not null,
  address {text},
  request_id {text},
  organisation_id {text},
  project_id {text},
  action {text} not null,
  target {text} not null,
  before_json {text},
  after_json {text}
) {strict};

create index audit_at on audit (at);
create index audit_project on audit (project_id, revision);
create index audit_organisation on audit (organisation_id, revision);
