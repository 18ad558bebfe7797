-- Judges a batch of checks, in order, each against all limits of its set: looks at every limit first,
-- then commits the cost to all that are enforced or to none; a shadow limit counts for itself what it
-- would admit (src/limiter/plan.ts is the reference).
--
-- KEYS   the state keys, each once, then the lists of sliding logs, each once. In Redis Cluster all
--        share one hash tag. Checks name them by number: were a key given twice and read before
--        either use was written, the limit would be passed.
-- ARGV   now        epoch ms; empty: Redis TIME (an injected clock is for tests)
--        deadline   epoch ms by the store's time; a call that runs later changes nothing; empty: none
--        states     how many of KEYS are state keys
--        sets       how many limit sets follow, each:
--                     count, then count times: name, letter, 1 for a shadow limit, limit, window in
--                     ms, burst; for a quota: its calendar's id, 0, and four edges of periods
--        checks     how many checks follow, each:
--                     set, state key, cost, 1 for a peek, then the list key of each sliding log
-- Reply  integers, those above 2^52 as text. [now, 0]: too late, and [now, 2]: no period of a quota
--        holds now; nothing was done. Else [now, 1], then for each check
--          status   1 admitted, 0 denied, 2 the state was corrupt and has been removed
--          unless corrupt, for each limit: admits (0, 1), remaining, reset, retry at, grows at
--          (epoch ms; 0 now, -1 never); for a leaky bucket also its delay in ms
-- State  `1 NAME:LETTER:WINDOW:INTEGER:INTEGER[:INTEGER] NAME:…`, format version first, with the
--        TTL after which it is worth no more than none (a quota without an end has none). Sliding logs: the list STATE_KEY:NAME.
-- Cost   O(checks × limits), and see sliding-log.lua.

local FORMAT = '1'
local ADMITTED, DENIED, CORRUPTED = 1, 0, 2
local TEXT_FROM = 2 ^ 52
local ENDLESS = 9007199254740991
-- A list outlives its record, or the record would look corrupt at the window's very end.
local LIST_TTL_MARGIN_MS = 1000
-- Under an injected clock the real one must not end a state: tests stand still in time.
local INJECTED_TTL_MARGIN_MS = 3600000

local position = 0
local function argument()
  position = position + 1
  return ARGV[position]
end
local function integer()
  return tonumber(argument())
end

local is_injected = ARGV[1] ~= ''
local now = integer()
if not is_injected then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local deadline = integer()
if deadline and now > deadline then return { now, 0 } end

local state_count = integer()
local stored_texts = redis.call('MGET', unpack(KEYS, 1, state_count))

local sets = {}
for set_index = 1, integer() do
  local set = {}
  for limit_index = 1, integer() do
    local name, letter = argument(), argument()
    local limit = {
      name = name, letter = letter, algorithm = algorithms[letter], is_shadow = argument() == '1',
      limit = integer(), window = integer(), burst = integer(),
    }
    limit.capacity = limit.algorithm.has_burst and limit.burst or limit.limit
    if letter == 'q' then
      local edges = { integer(), integer(), integer(), integer() }
      for first = 1, 3 do
        if edges[first] <= now and now < edges[first + 1] then limit.start, limit.stop = edges[first], edges[first + 1] end
      end
      if not limit.start then return { now, 2 } end
      if limit.stop == ENDLESS then limit.stop = NEVER end
    end
    set[limit_index] = limit
  end
  sets[set_index] = set
end

-- name -> { letter, window, state }; raises CORRUPT.
local function decode_records(text)
  local records, from = {}, 3
  if string.sub(text, 1, 2) ~= FORMAT .. ' ' then error(CORRUPT) end
  while from <= #text do
    local name, letter, window, first, second, third, next_from =
      string.match(text, '^([^ :]+):(%l):(%d+):(%d+):(%d+):?(%d*) ?()', from)
    local algorithm = algorithms[letter]
    if not algorithm then error(CORRUPT) end
    local state = algorithm.decode(stored_integer(first), stored_integer(second), stored_integer(third))
    if not state then error(CORRUPT) end
    records[name] = { letter = letter, window = tonumber(window), state = state }
    from = next_from
  end
  return records
end

-- What is in hand of each state key: records; set, under which they were last changed, if they were;
-- list_names, the sliding logs that were there before.
local hands = {}
local function hand_of(index)
  local hand = hands[index]
  if hand then return hand end
  hand = { key = KEYS[index], records = {}, list_names = {} }
  hands[index] = hand
  local text = stored_texts[index]
  if text then
    hand.records = decode_records(text)
    for name, record in pairs(hand.records) do
      if record.letter == 'l' then hand.list_names[#hand.list_names + 1] = name end
    end
  end
  return hand
end

local reply = { now, 1 }
local function answer(value)
  -- Clients add up digits in doubles and are off by one at the very top of the range.
  reply[#reply + 1] = value > TEXT_FROM and decimal(value) or value
end

local function answer_limit(limit, before, after, admits, cost)
  answer(admits and 1 or 0)
  if limit.limit == 0 then
    answer(0) answer(NEVER) answer(NEVER) answer(NEVER)
    if limit.algorithm.delay then answer(0) end
    return
  end
  local algorithm = limit.algorithm
  local remaining = algorithm.remaining(limit, after)
  answer(remaining)
  answer(algorithm.whole_at(limit, after, now))
  if admits then answer(NOW)
  elseif cost > limit.capacity then answer(NEVER)
  else answer(algorithm.retry_at(limit, before, cost, now)) end
  if remaining >= limit.capacity then answer(NOW)
  else answer(algorithm.retry_at(limit, after, remaining + 1, now)) end
  if algorithm.delay then answer(admits and algorithm.delay(limit, before) or 0) end
end

local function judge(set, key_index, cost, is_peek, list_keys)
  local hand = hand_of(key_index)
  local states, admits, all_admit, is_changed = {}, {}, true, false
  for index, limit in ipairs(set) do
    local record = hand.records[limit.name]
    local stored
    if record and record.letter == limit.letter and record.window == limit.window then stored = record.state end
    local state, is_reanchored = limit.algorithm.stand(limit, stored, now, list_keys[index])
    states[index] = state
    admits[index] = limit.limit > 0 and cost <= limit.capacity and limit.algorithm.admits(limit, state, cost)
    all_admit = all_admit and (admits[index] or limit.is_shadow)
    is_changed = is_changed or is_reanchored
  end
  local may_consume = cost > 0 and not is_peek
  answer(all_admit and ADMITTED or DENIED)
  local records = {}
  for index, limit in ipairs(set) do
    local before, after = states[index], states[index]
    local is_charged = all_admit
    if limit.is_shadow then is_charged = admits[index] end
    if may_consume and is_charged then
      after = limit.algorithm.consume(limit, before, cost, now)
      is_changed = true
    end
    answer_limit(limit, before, after, admits[index], cost)
    records[limit.name] = { letter = limit.letter, window = limit.window, state = after }
  end
  if is_changed then hand.records, hand.set = records, set end
end

local corrupt = {}
for _ = 1, integer() do
  local set, key_index, cost, is_peek = sets[integer()], integer(), integer(), argument() == '1'
  local list_keys = {}
  for index, limit in ipairs(set) do
    if limit.algorithm.has_own_key then list_keys[index] = KEYS[integer()] end
  end
  local answered = #reply
  local ok, fault = true, nil
  if not corrupt[key_index] then ok, fault = pcall(judge, set, key_index, cost, is_peek, list_keys) end
  if not ok then
    if fault ~= CORRUPT then error(fault) end
    corrupt[key_index] = true
    redis.call('DEL', KEYS[key_index])
    for _, list_key in pairs(list_keys) do redis.call('DEL', list_key) end
    hands[key_index] = nil
  end
  if corrupt[key_index] then
    for index = #reply, answered + 1, -1 do reply[index] = nil end
    answer(CORRUPTED)
  end
end

-- Nothing has been written so far but the removal of what was corrupt.
local ttl_margin = is_injected and INJECTED_TTL_MARGIN_MS or 0
for _, hand in pairs(hands) do
  if hand.set then
    local texts, expires_at = { FORMAT }, now + 1
    for _, limit in ipairs(hand.set) do
      local algorithm, state = limit.algorithm, hand.records[limit.name].state
      local first, second, third = algorithm.encode(state)
      local text = limit.name .. ':' .. limit.letter .. ':' .. decimal(limit.window) .. ':' .. first .. ':' .. second
      texts[#texts + 1] = third and text .. ':' .. third or text
      -- A limit of 0 never becomes whole; what it holds is kept for a window, in case it is raised.
      local is_closed = limit.limit == 0 and limit.letter ~= 'q'
      local whole_at = is_closed and now + limit.window or algorithm.whole_at(limit, state, now)
      if whole_at == NEVER then whole_at = math.huge end
      expires_at = max(expires_at, whole_at)
      if algorithm.save then algorithm.save(state, limit.window + LIST_TTL_MARGIN_MS + ttl_margin) end
    end
    if expires_at == math.huge then
      redis.call('SET', hand.key, table.concat(texts, ' '))
    else
      redis.call('SET', hand.key, table.concat(texts, ' '), 'PX', decimal(expires_at - now + ttl_margin))
    end
    for _, name in ipairs(hand.list_names) do
      local record = hand.records[name]
      if not record or record.letter ~= 'l' then redis.call('DEL', hand.key .. ':' .. name) end
    end
  end
end

return reply
