-- The counterpart of src/limiter/algorithms/sliding-log.ts.
-- Record: used and count as of the last write, lastMs. The entries lie in a list of their own, oldest
-- first, as `timeMs` or `timeMs:cost`: Redis packs short lists of integers, at some 10 bytes an entry.
-- Of the list only as much is read as has expired, and a bounded number for a retry time: a denied
-- check, which anybody can repeat, must not cost by the length of the log.
--
-- A state in hand: times and costs as read so far; head, the first that is alive; count, how many lie
-- in the list; added, the texts of those that this call admitted, all made now.
local PAGE, PUSH_MAX, WALK_MAX = 64, 1000, 64
-- So many expired entries are cut off at once, whoever meets them.
local EXPIRED_MAX = 256
-- A list outlives its record, or the record would look corrupt at the window's very end.
local LIST_TTL_MARGIN_MS = 1000

local function entry_text(time, cost)
  return cost == 1 and decimal(time) or decimal(time) .. ':' .. decimal(cost)
end

local function read_entry(state, index)
  while index > #state.times do
    local first = #state.times
    local page = redis.call('LRANGE', state.key, first, first + PAGE - 1)
    if #page == 0 then error(CORRUPT) end
    for _, text in ipairs(page) do
      local time_text, cost_text = string.match(text, '^(%d+):?(%d*)$')
      local time = stored_integer(time_text)
      local cost = cost_text == '' and 1 or stored_integer(cost_text)
      if not time or not cost then error(CORRUPT) end
      state.times[#state.times + 1], state.costs[#state.costs + 1] = time, cost
    end
  end
  return state.times[index], state.costs[index]
end

-- The time of one entry, without reading those before it.
local function entry_time(state, index)
  if index <= #state.times then return state.times[index] end
  local text = redis.call('LINDEX', state.key, index - 1)
  local time = text and stored_integer(string.match(text, '^(%d+)'))
  if not time then error(CORRUPT) end
  return time
end

-- After a step of the clock backwards, entries of the future count as made now.
local function reanchor(state, now)
  for index = 1, state.count do
    if read_entry(state, index) > now then state.times[index] = now end
  end
  state.last, state.is_rewritten = now, true
end

-- In the order of their times, of equal ones those that were there first.
local function insert(state, entries)
  local times, costs, next_entry = {}, {}, 1
  for index = state.head, state.count do
    local time, cost = read_entry(state, index)
    while entries[next_entry] and entries[next_entry].time < time do
      times[#times + 1], costs[#costs + 1] = entries[next_entry].time, entries[next_entry].cost
      next_entry = next_entry + 1
    end
    times[#times + 1], costs[#costs + 1] = time, cost
  end
  for index = next_entry, #entries do
    times[#times + 1], costs[#costs + 1] = entries[index].time, entries[index].cost
  end
  state.times, state.costs, state.head, state.count, state.is_rewritten = times, costs, 1, #times, true
end

local function empty_log(key)
  -- An ended window's entries may still lie in the list: the first write clears it.
  return { key = key, times = {}, costs = {}, head = 1, count = 0, used = 0, last = 0, added = {}, is_rewritten = true }
end

algorithms.l = {
  has_own_key = true,

  decode = function(used, count, last, window, now)
    if not used or not count or not is_time(last, now) then return nil end
    return { used = used, count = count, last = last }
  end,

  encode = function(state)
    return decimal(state.used), decimal(state.count - state.head + 1 + #state.added), decimal(state.last)
  end,

  stand = function(limit, stored, now, key)
    if not stored or stored.last + limit.window <= now then return empty_log(key), false end
    if not stored.times then
      stored.key, stored.times, stored.costs, stored.head, stored.added = key, {}, {}, 1, {}
      if redis.pcall('LLEN', key) ~= stored.count then error(CORRUPT) end
    end
    local is_reanchored = stored.last > now
    if is_reanchored then reanchor(stored, now) end
    while stored.head <= stored.count do
      local time, cost = read_entry(stored, stored.head)
      if time + limit.window > now then break end
      stored.used, stored.head = stored.used - cost, stored.head + 1
    end
    if stored.used < stored.count - stored.head + 1 + #stored.added then error(CORRUPT) end
    return stored, is_reanchored or stored.head > EXPIRED_MAX
  end,

  admits = function(limit, state, cost)
    return cost <= limit.limit - state.used
  end,

  consume = function(limit, state, cost, now)
    state.added[#state.added + 1] = entry_text(now, cost)
    state.used, state.last = state.used + cost, now
    return state
  end,

  charge = function(limit, state, amount, now)
    local counted = capped_sum(state.used, amount) - state.used
    if counted == 0 then return state end
    return algorithms.l.consume(limit, state, counted, now)
  end,

  -- Entries as time and cost in turn, in order. O(log), but O(counted) where all are later than what is there.
  add = function(limit, state, counted, now)
    local entries = {}
    local last = state.last
    for index = 1, #counted, 2 do
      local time = math.min(tonumber(counted[index]), now)
      local used = time + limit.window > now and capped_sum(state.used, tonumber(counted[index + 1])) or state.used
      if used > state.used then
        entries[#entries + 1] = { time = time, cost = used - state.used }
        state.used, state.last = used, max(state.last, time)
      end
    end
    if #entries == 0 then return state end
    -- Before the first entry of an empty log anything may come.
    if state.head > state.count or entries[1].time >= last then
      for _, entry in ipairs(entries) do state.added[#state.added + 1] = entry_text(entry.time, entry.cost) end
    else
      insert(state, entries)
    end
    return state
  end,

  give_back = function(limit, state, amount, reservation, as_of)
    if state.count > 0 then read_entry(state, state.count) end
    for index = state.head, state.count do
      if state.times[index] == reservation.made and state.costs[index] == reservation.cost then
        local kept = reservation.cost - amount
        if kept > 0 then
          state.costs[index] = kept
        else
          table.remove(state.times, index)
          table.remove(state.costs, index)
          state.count = state.count - 1
          if #state.added == 0 then state.last = state.times[state.count] or 0 end
        end
        state.used, state.is_rewritten = state.used - amount, true
        break
      end
    end
    return state
  end,

  remaining = function(limit, state)
    return max(0, limit.limit - state.used)
  end,

  whole_at = function(limit, state, now)
    return state.used > 0 and state.last + limit.window or now
  end,

  retry_at = function(limit, state, cost, now)
    local to_free, index = state.used - (limit.limit - cost), state.head
    for _ = 1, WALK_MAX do
      if index > state.count then return now + limit.window end
      local time, entry_cost = read_entry(state, index)
      if to_free <= entry_cost then return time + limit.window end
      to_free, index = to_free - entry_cost, index + 1
    end
    -- Each further entry frees at least 1: at the latest this one does. Exact where all costs are 1.
    index = index + to_free - 1
    if index > state.count then return state.last + limit.window end
    return entry_time(state, index) + limit.window
  end,

  -- Brings the list to the state in hand.
  save = function(state, limit)
    local texts = state.added
    if state.is_rewritten then
      redis.call('DEL', state.key)
      texts = {}
      for index = state.head, state.count do texts[#texts + 1] = entry_text(read_entry(state, index)) end
      for _, text in ipairs(state.added) do texts[#texts + 1] = text end
    elseif state.head > 1 then
      redis.call('LTRIM', state.key, state.head - 1, -1)
    end
    for first = 1, #texts, PUSH_MAX do
      redis.call('RPUSH', state.key, unpack(texts, first, math.min(first + PUSH_MAX - 1, #texts)))
    end
    redis.call('PEXPIRE', state.key, decimal(limit.window + LIST_TTL_MARGIN_MS + TTL_MARGIN_MS))
  end,
}
