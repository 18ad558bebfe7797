-- Projects, their API keys and namespaces, and the one row that says what this installation is.
--
-- breaks older executables: no
--
-- {text}      postgres: text collate "C"    sqlite: text
-- {bigint}    postgres: bigint              sqlite: integer
-- {strict}    postgres:                     sqlite: strict

-- One row. Its revision rises with every change, under this row's lock: so revisions become visible
-- in the order of their numbers, and a node that polls this one number misses nothing.
create table installation (
  id {bigint} not null primary key check (id = 1),
  identifier_secret {text} not null check (length(identifier_secret) = 64),
  revision {bigint} not null,
  created_at {bigint} not null
) {strict};

create table projects (
  id {text} not null primary key,
  name {text} not null unique check (length(name) between 1 and 64),
  revision {bigint} not null,
  created_at {bigint} not null,
  updated_at {bigint} not null
) {strict};

create index projects_revision on projects (revision);

create table api_keys (
  id {text} not null primary key,
  project_id {text} not null references projects (id) on delete cascade,
  name {text} not null,
  kind {text} not null,
  scopes {text} not null,
  prefix {text} not null,
  sha256 {text} not null unique check (length(sha256) = 64),
  created_at {bigint} not null,
  expires_at {bigint},
  revoked_at {bigint}
) {strict};

create index api_keys_project on api_keys (project_id);

create table namespaces (
  id {text} not null primary key,
  project_id {text} not null references projects (id) on delete cascade,
  name {text} not null check (length(name) between 1 and 64),
  rule {text} not null,
  version {bigint} not null,
  created_at {bigint} not null,
  updated_at {bigint} not null,
  unique (project_id, name)
) {strict};
