-- Judges a batch of checks, in order, each against all limits of its set: looks at every limit first,
-- then commits the cost to all that are enforced or to none; a shadow limit counts for itself what it
-- would admit (src/limiter/plan.ts is the reference). An atomic batch commits all its checks or none.
--
-- KEYS   the state keys, each once, then sliding logs' lists, leases, and the answers kept by request
--        id, each once. In Redis Cluster all share one hash tag. Checks name them by number: were a key
--        given twice and read before either use was written, the limit would be passed.
-- ARGV   now        epoch ms; empty: Redis TIME (an injected clock is for tests)
--        deadline   epoch ms by the store's time; a call that runs later changes nothing; empty: none
--        states     how many of KEYS are state keys
--        sets       how many limit sets follow, each:
--                     signature, count, then count times: name, letter, 1 for a shadow limit, limit,
--                     window in ms, burst; for a quota: its calendar's id, 0, and four edges of periods;
--                     for concurrency: 0 and the time to live
--        revision   which change of the configuration the checks go by
--        atomic     1: all or none
--        checks     how many checks follow, each:
--                     set (0: exempt, -1: blocked, by no set), state key, cost, 1 for a peek, key of the kept answer or 0, l and the
--                     holder for whom a place is acquired, r and the token under which the cost is
--                     reserved, or nothing; then the key of each sliding log's list and of the leases
-- Reply  integers, those above 2^52 as text. [now, 0]: too late, and [now, 2]: no period of a quota
--        holds now; nothing was done. TRYAGAIN: see moving.lua. Else [now, 1], then for each check
--          status   1 admitted, 0 denied, 2 the state was corrupt and has been removed,
--                   3 answered before under this request id, 4 the id came with another cost,
--                   5 would be admitted, but another check of its atomic batch is denied,
--                   6 the identifier has as many reservations as it may,
--                   7 the configuration has changed since that revision for this identifier
--          with 3, the token if one was asked for, and the time of that answer; with 0, 1, 3 and 5, for each limit: admits (0, 1),
--          remaining, reset, retry at, grows at (epoch ms; 0 now, -1 never); for a leaky bucket also
--          its delay in ms
-- State  `1 NAME:LETTER:WINDOW:INTEGER:INTEGER[:INTEGER] NAME:…`, format version first, with the TTL
--        after which it is worth no more than none (a quota without an end has none). Sliding logs:
--        the list STATE_KEY:NAME. Request ids: the answer under its own key, and STATE_KEY:ids, a list
--        of those keys, the oldest first. Leases: STATE_KEY:leases, see concurrency.lua.
--        Reservations: STATE_KEY:reservations, see reservations.lua. Changes of the configuration that
--        concern this identifier: `+:v:0:REVISION:UNTIL` among the records, see announce.lua.
-- Cost   O(checks × limits), and see sliding-log.lua.

-- announce.lua tells of changes; the largest integer goes by whatever there is.
revision = integer()
local is_atomic = argument() == '1'

local checks = {}
for index = 1, integer() do
  local check = {
    set_number = integer(), key_index = integer(), cost = integer(), is_peek = argument() == '1',
    answer_key = KEYS[integer()], list_keys = {},
  }
  check.set = sets[check.set_number]
  if not check.set then check.ruling = check.set_number == 0 and ADMITTED or DENIED end
  local takes, token = string.match(argument(), '^([lr]?)(.*)$')
  if takes == 'l' then check.holder = token elseif takes == 'r' then check.reservation = token end
  for limit_index, limit in ipairs(check.set and check.set.limits or {}) do
    if limit.algorithm.has_own_key then check.list_keys[limit_index] = KEYS[integer()] end
  end
  checks[index] = check
end

-- What is damaged is removed: it can't be told from a counter that was never there, and must not
-- fail for ever. All checks of that identifier in this call are told so.
local corrupt, is_moving = {}, false
local function judge_safely(check)
  if not corrupt[check.key_index] then
    local ok, answers = pcall(judge_once, check)
    if ok then return answers end
    if answers == MOVING or answers == CORRUPT and not all_here(KEYS[check.key_index]) then
      is_moving = true
      return { DENIED }
    end
    if answers ~= CORRUPT then error(answers) end
    corrupt[check.key_index] = true
    remove_damaged(KEYS[check.key_index], check.list_keys)
    if check.answer_key then redis.call('DEL', check.answer_key) end
    forget_hand(check.key_index)
  end
  return { CORRUPTED }
end

local answers = {}
local all_admitted, any_conflicts = true, false
for index, check in ipairs(checks) do
  answers[index] = judge_safely(check)
  local status = answers[index][1]
  all_admitted = all_admitted and (status == ADMITTED or status == REPEATED)
  any_conflicts = any_conflicts or status == CONFLICTING or status == FULL or status == STALE
end

if is_atomic and not all_admitted then
  -- None is committed. Those that were denied keep that answer; the others are told how they stand by
  -- themselves. Each is looked at again, so that a state from the future is re-anchored all the same.
  -- A batch with a misused request id, with a reservation too many, or that goes by an outdated
  -- configuration, is refused as a whole.
  forget_all()
  for index, check in ipairs(any_conflicts and {} or checks) do
    local status = answers[index][1]
    if status == ADMITTED or status == DENIED then
      check.is_peek = true
      local alone = judge_safely(check)
      if alone[1] == ADMITTED and status == ADMITTED then alone[1] = HELD_BACK end
      if alone[1] == CORRUPTED or status == ADMITTED then answers[index] = alone end
    end
  end
end

-- Nothing has been written so far but the removal of what was corrupt.
if is_moving then return try_again() end
save_all()

local reply = { now, 1 }
for _, numbers in ipairs(answers) do
  for _, number in ipairs(numbers) do
    -- Clients add up digits in doubles and are off by one at the very top of the range.
    reply[#reply + 1] = type(number) == 'number' and number > TEXT_FROM and decimal(number) or number
  end
end
return reply
