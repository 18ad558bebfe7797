-- The processes that serve from this database, so that one that counts in memory stays alone.
--
-- breaks older executables: no
--
-- {text}      postgres: text collate "C"    sqlite: text
-- {bigint}    postgres: bigint              sqlite: integer
-- {strict}    postgres:                     sqlite: strict

-- One row for each, with an id that is new at every start; seen_at is renewed every few seconds.
-- Times are this database's own. A pid says something only within its pid_space.
create table nodes (
  id {text} not null primary key,
  host {text} not null,
  pid {bigint} not null,
  pid_space {text} not null,
  counters {text} not null check (counters in ('embedded', 'redis')),
  started_at {bigint} not null,
  seen_at {bigint} not null
) {strict};
