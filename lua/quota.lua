-- The counterpart of src/limiter/algorithms/quota.ts. The node sends the edges of the calendar's
-- periods around the time that it takes the store to have; the store's own time chooses among them.
-- Record: startMs, used. O(1).
algorithms.q = {
  decode = function(start, used, _, window, now)
    return is_time(start, now) and used and { start = start, used = used } or nil
  end,

  encode = function(state)
    return decimal(state.start), decimal(state.used)
  end,

  stand = function(limit, stored, now)
    local used = 0
    if stored and stored.start >= limit.start then used = stored.used end
    return { start = limit.start, used = used }, used > 0 and stored.start > limit.start
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

  give_back = function(limit, state, amount, reservation, as_of)
    if reservation.made < state.start then return state end
    return { start = state.start, used = max(0, state.used - amount) }
  end,

  remaining = function(limit, state)
    return max(0, limit.limit - state.used)
  end,

  whole_at = function(limit, state, now)
    return state.used > 0 and limit.stop or now
  end,

  retry_at = function(limit, state, cost, now)
    return limit.stop
  end,
}
