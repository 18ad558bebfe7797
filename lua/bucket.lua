-- The counterpart of src/limiter/algorithms/bucket.ts: gcra, token bucket and leaky bucket. The level
-- is in units of 1/windowMs of a token.
-- Record: level, timeMs, rate (the limit it was written under). O(1).
local bucket = {
  has_burst = true,

  decode = function(level, time, rate)
    return level and time and rate and { level = level, time = time, rate = rate } or nil
  end,

  encode = function(state)
    return decimal(state.level), decimal(state.time), decimal(state.rate)
  end,

  stand = function(limit, stored, now)
    local level = 0
    if stored then
      local elapsed = now - stored.time
      if elapsed <= 0 or stored.rate == 0 then
        level = stored.level
      elseif elapsed < ceil_div(stored.level, stored.rate) then
        level = stored.level - elapsed * stored.rate
      end
    end
    local is_reanchored = level > 0 and (stored.time > now or stored.rate ~= limit.limit)
    return { level = level, time = now, rate = limit.limit }, is_reanchored
  end,

  admits = function(limit, state, cost)
    return state.level <= (limit.burst - cost) * limit.window
  end,

  consume = function(limit, state, cost, now)
    return { level = state.level + cost * limit.window, time = now, rate = state.rate }
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
