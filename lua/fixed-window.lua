-- The counterpart of src/limiter/algorithms/fixed-window.ts.
-- Record: startMs, used. O(1).
algorithms.f = {
  decode = function(start, used, _, window, now)
    return is_time(start, now) and used and { start = start, used = used } or nil
  end,

  encode = function(state)
    return decimal(state.start), decimal(state.used)
  end,

  stand = function(limit, stored, now)
    local start = now - fmod(now, limit.window)
    if not stored or stored.start < start then return { start = start, used = 0 }, false end
    if stored.start > start then return { start = start, used = stored.used }, true end
    return stored, false
  end,

  admits = function(limit, state, cost)
    return cost <= limit.limit - state.used
  end,

  consume = function(limit, state, cost, now)
    return { start = state.start, used = state.used + cost }
  end,

  charge = function(limit, state, amount, now)
    return { start = state.start, used = capped_sum(state.used, amount) }
  end,

  add = function(limit, state, counted, now)
    local other = limit.algorithm.stand(limit, { start = tonumber(counted[1]), used = tonumber(counted[2]) }, now)
    return { start = state.start, used = capped_sum(state.used, other.used) }
  end,

  give_back = function(limit, state, amount, reservation, as_of)
    if reservation.made < state.start then return state end
    return { start = state.start, used = max(0, state.used - amount) }
  end,

  remaining = function(limit, state)
    return max(0, limit.limit - state.used)
  end,

  whole_at = function(limit, state, now)
    return state.used > 0 and state.start + limit.window or now
  end,

  retry_at = function(limit, state, cost, now)
    return state.start + limit.window
  end,
}
