-- The counterpart of src/limiter/algorithms/concurrency.ts. The leases of an identifier stand in a
-- sorted set of their own, STATE_KEY:leases: the holder, `RANDOM:TTL`, scored by when it runs out.
-- They outlive changes of the rule, and are no part of the record. What is asked for is one place.
-- O(log leases); O(leases) after a step of the clock backwards, and where one call acquires several.

local function ttl_of(holder)
  return tonumber(string.match(holder, ':(%d+)$')) or error(CORRUPT)
end

-- All of them, as they will be: holder and expiry in turn, as Redis gives them.
local function load_leases(limit, state, now)
  local leases = redis.call('ZRANGEBYSCORE', state.key, '(' .. decimal(now), '+inf', 'WITHSCORES')
  state.expiries, state.moved = {}, {}
  for index = 1, #leases, 2 do
    local holder, expires = leases[index], tonumber(leases[index + 1])
    local latest = now + max(limit.ttl, ttl_of(holder))
    if expires > latest then
      expires = latest
      state.moved[holder] = latest
    end
    state.expiries[#state.expiries + 1] = expires
  end
  table.sort(state.expiries)
end

local function expiry_at(state, rank, now)
  if state.expiries then return state.expiries[rank] end
  local lease = redis.call('ZRANGEBYSCORE', state.key, '(' .. decimal(now), '+inf', 'WITHSCORES', 'LIMIT', rank - 1, 1)
  return tonumber(lease[2])
end

algorithms.c = {
  has_own_key = true,

  stand = function(limit, stored, now, key)
    if stored then return stored, false end
    local count = redis.pcall('ZCOUNT', key, '(' .. decimal(now), '+inf')
    if type(count) == 'table' then error(CORRUPT) end
    local state = { key = key, count = count, added = {} }
    if redis.call('ZCOUNT', key, '(' .. decimal(now + limit.ttl), '+inf') > 0 then load_leases(limit, state, now) end
    return state, state.moved ~= nil and next(state.moved) ~= nil
  end,

  admits = function(limit, state, places)
    return state.count + places <= limit.limit
  end,

  consume = function(limit, state, places, now, holder)
    if not state.expiries then load_leases(limit, state, now) end
    local expires = now + ttl_of(holder)
    -- A copy: on trial a place is given although it is denied, and the answer speaks of the state before.
    local after = { key = state.key, count = state.count + 1, moved = state.moved, added = { [holder] = expires } }
    for other, other_expires in pairs(state.added) do after.added[other] = other_expires end
    after.expiries = { expires }
    for _, other_expires in ipairs(state.expiries) do after.expiries[#after.expiries + 1] = other_expires end
    table.sort(after.expiries)
    return after
  end,

  -- Places are held by leases, never reserved.
  charge = function(limit, state)
    return state
  end,

  -- Holders and when their leases end, in turn.
  add = function(limit, state, counted, now)
    if not state.expiries then load_leases(limit, state, now) end
    for index = 1, #counted, 2 do
      local holder = counted[index]
      local expires = math.min(tonumber(counted[index + 1]), now + max(limit.ttl, ttl_of(holder)))
      if expires > now then
        state.added[holder], state.count = expires, state.count + 1
        state.expiries[#state.expiries + 1] = expires
      end
    end
    table.sort(state.expiries)
    return state
  end,

  give_back = function(limit, state)
    return state
  end,

  remaining = function(limit, state)
    return max(0, limit.limit - state.count)
  end,

  whole_at = function(limit, state, now)
    return state.count > 0 and expiry_at(state, state.count, now) or now
  end,

  retry_at = function(limit, state, places, now)
    return expiry_at(state, state.count - (limit.limit - places), now)
  end,

  save = function(state, limit, now)
    for _, leases in ipairs(state.expiries and { state.moved, state.added } or {}) do
      for holder, expires in pairs(leases) do redis.call('ZADD', state.key, decimal(expires), holder) end
    end
    redis.call('ZREMRANGEBYSCORE', state.key, '-inf', decimal(now))
    if state.expiries and state.count > 0 then
      redis.call('PEXPIRE', state.key, decimal(state.expiries[state.count] - now + TTL_MARGIN_MS))
    end
  end,
}
