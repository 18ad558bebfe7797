-- How much projects use: verdicts and their cost by the hour and the day, of each namespace and key.
--
-- breaks older executables: no
--
-- {text}      postgres: text collate "C"    sqlite: text
-- {bigint}    postgres: bigint              sqlite: integer
-- {strict}    postgres:                     sqlite: strict

-- start_at is the hour's or the day's, in UTC. key_id is empty for checks without a key, from the
-- management plane. Refers to nothing: it stays when the namespace or the key is gone, and what is left of
-- a deleted project ends by its age, as deleting so many rows at once would take too long.
create table usage (
  project_id {text} not null,
  step {text} not null check (step in ('hour', 'day')),
  start_at {bigint} not null,
  namespace {text} not null,
  key_id {text} not null,
  allowed {bigint} not null,
  denied {bigint} not null,
  degraded {bigint} not null,
  cost {bigint} not null,
  primary key (project_id, step, start_at, namespace, key_id)
) {strict};

create index usage_age on usage (step, start_at);

-- Which batch each process wrote last, so that none is added twice. One row for each run of a process.
create table usage_writers (
  id {text} not null primary key,
  batch {bigint} not null,
  written_at {bigint} not null
) {strict};

create index usage_writers_age on usage_writers (written_at);
