-- Blocks, exemptions and overrides, and what every change of a project was.
--
-- breaks older executables: no
--
-- {text}      postgres: text collate "C"    sqlite: text
-- {bigint}    postgres: bigint              sqlite: integer
-- {strict}    postgres:                     sqlite: strict

-- Removals up to this revision are no longer listed in removed_exceptions: a node whose snapshot is
-- older reads all exceptions anew.
alter table installation add column removals_listed_after {bigint} not null default 0;

-- What is said of those who match, instead of their namespace's rule. revision is that of the last
-- change of the row, so that nodes read what is new to them and no more.
create table rule_exceptions (
  id {text} not null primary key,
  namespace_id {text} not null references namespaces (id) on delete cascade,
  kind {text} not null check (kind in ('block', 'exemption', 'override')),
  form {text} not null check (form in ('exact', 'pattern', 'cidr')),
  match_text {text} not null,
  limits {text},
  reason {text} not null,
  author {text} not null,
  revision {bigint} not null,
  created_at {bigint} not null,
  updated_at {bigint} not null,
  expires_at {bigint},
  unique (namespace_id, match_text, kind)
) {strict};

create index rule_exceptions_revision on rule_exceptions (revision, id);
create index rule_exceptions_expiry on rule_exceptions (expires_at);
create index rule_exceptions_kind on rule_exceptions (namespace_id, kind, match_text);
create index rule_exceptions_patterns on rule_exceptions (namespace_id) where form = 'pattern';

-- Exceptions that are gone, for nodes that still have them. Those of a deleted namespace go with it,
-- and are not listed.
create table removed_exceptions (
  namespace_id {text} not null,
  match_text {text} not null,
  kind {text} not null,
  revision {bigint} not null,
  removed_at {bigint} not null,
  primary key (revision, namespace_id, match_text, kind)
) {strict};

create index removed_exceptions_removed on removed_exceptions (removed_at);

-- One row for each transaction that changed a project's namespaces or exceptions.
create table project_changes (
  project_id {text} not null references projects (id) on delete cascade,
  revision {bigint} not null,
  author {text} not null,
  summary {text} not null,
  created_at {bigint} not null,
  primary key (project_id, revision)
) {strict};

-- What such a change did: a namespace (match_text and kind are empty) or an exception, as JSON before
-- and after; null where there was none. Undone in reverse they lead back to any revision that is kept.
create table project_change_items (
  project_id {text} not null references projects (id) on delete cascade,
  revision {bigint} not null,
  item {bigint} not null,
  namespace {text} not null,
  match_text {text} not null,
  kind {text} not null,
  before_json {text},
  after_json {text},
  primary key (project_id, revision, item)
) {strict};
