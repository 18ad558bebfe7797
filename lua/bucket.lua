-- The counterpart of src/limiter/algorithms/bucket.ts: gcra, token bucket and leaky bucket. The level
-- is in units of 1/windowMs of a token.
-- Record: level, timeMs, rate (the limit it was written under). O(1).

-- Never multiplies before it knows that the product stays below the level.
local function drained(level, time, rate, now)
  local elapsed = now - time
  if elapsed <= 0 or rate == 0 then return level end
  if elapsed >= ceil_div(level, rate) then return 0 end
  return level - elapsed * rate
end

local bucket = {
  has_burst = true,

  decode = function(level, time, rate, window, now)
    return level and level <= UNITS_MAX and is_time(time, now) and rate and { level = level, time = time, rate = rate } or nil
  end,

  encode = function(state)
    return decimal(state.level), decimal(state.time), decimal(state.rate)
  end,

  stand = function(limit, stored, now)
    local level = stored and drained(stored.level, stored.time, stored.rate, now) or 0
    local is_reanchored = level > 0 and (stored.time > now or stored.rate ~= limit.limit)
    return { level = level, time = now, rate = limit.limit }, is_reanchored
  end,

  admits = function(limit, state, cost)
    return state.level <= (limit.burst - cost) * limit.window
  end,

  consume = function(limit, state, cost, now)
    return { level = state.level + cost * limit.window, time = now, rate = state.rate }
  end,

  charge = function(limit, state, amount, now)
    local amount_max = floor_div(UNITS_MAX - state.level, limit.window)
    return { level = state.level + math.min(amount, amount_max) * limit.window, time = now, rate = state.rate }
  end,

  add = function(limit, state, counted, now)
    local level = drained(tonumber(counted[1]), tonumber(counted[2]), tonumber(counted[3]), now)
    return { level = state.level + math.min(level, UNITS_MAX - state.level), time = now, rate = state.rate }
  end,

  give_back = function(limit, state, amount, reservation, as_of)
    local left = drained(amount * limit.window, reservation.made, limit.limit, as_of)
    return { level = max(0, state.level - left), time = state.time, rate = state.rate }
  end,

  remaining = function(limit, state)
    return max(0, floor_div(limit.burst * limit.window - state.level, limit.window))
  end,

  whole_at = function(limit, state, now)
    return now + ceil_div(state.level, limit.limit)
  end,

  retry_at = function(limit, state, cost, now)
    return now + ceil_div(state.level - (limit.burst - cost) * limit.window, limit.limit)
  end,
}

algorithms.g, algorithms.t = bucket, bucket

algorithms.k = setmetatable({
  delay = function(limit, state)
    return ceil_div(state.level, limit.limit)
  end,
}, { __index = bucket })
