-- The mark by which nodes see that this Redis lost what was counted: it is gone after FLUSHALL, and it
-- names the server process, so that a restart or a failover shows although the mark itself came back from
-- a file or a replica, and what was counted last did not.
--
-- KEYS   {brume}epoch
-- ARGV   call    look, begin or finish
--        mark    for begin: a new one, taken if counts were lost; for finish: the one that begin gave
-- Reply  look: the mark, or nothing if counts were lost and are not yet restored; begin: the mark that
--        is in force; finish: the mark, or nothing if it is gone again
-- State  `PROCESS MARK`, and ` restoring` behind it until the counts are; without TTL
-- Cost   O(1)

local info = redis.pcall('INFO', 'server')
local process = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or '-'
local known_process, mark, restoring = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)(.*)$')
if known_process ~= process then mark = nil end

local call, given = ARGV[1], ARGV[2]
if call == 'look' then return restoring == '' and mark or '' end
if call == 'begin' then
  if mark then return mark end
  redis.call('SET', KEYS[1], process .. ' ' .. given .. ' restoring')
  return given
end
if mark ~= given then return '' end
redis.call('SET', KEYS[1], process .. ' ' .. given)
return given
