-- What was used of quotas, as of some seconds ago, so that it survives the loss of the counters' store.
--
-- breaks older executables: no
--
-- {text}      postgres: text collate "C"    sqlite: text
-- {bigint}    postgres: bigint              sqlite: integer
-- {strict}    postgres:                     sqlite: strict

-- One row for each quota of an identifier. observed_at is the counters' time at which that much was
-- used; the other times are the calendar's.
create table quota_checkpoints (
  state_key {text} not null,
  name {text} not null,
  identity {bigint} not null,
  start_at {bigint} not null,
  end_at {bigint} not null,
  used {bigint} not null,
  observed_at {bigint} not null,
  updated_at {bigint} not null,
  primary key (state_key, name)
) {strict};

create index quota_checkpoints_end on quota_checkpoints (end_at);

-- Up to which moment, by the counters' time, what an identifier used is forgotten. Kept for as long
-- as a node may still hold a checkpoint from before it.
create table quota_resets (
  state_key {text} not null primary key,
  reset_at {bigint} not null,
  created_at {bigint} not null
) {strict};

create index quota_resets_created on quota_resets (created_at);
