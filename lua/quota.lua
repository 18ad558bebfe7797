-- The counterpart of src/limiter/algorithms/quota.ts. The node sends the edges of the calendar's
-- periods around the time that it takes the store to have; the store's own time chooses among them.
-- Record: startMs, used. O(1).
-- All but where its periods begin and end is as in a fixed window.
algorithms.q = setmetatable({
  stand = function(limit, stored, now)
    local used = 0
    if stored and stored.start >= limit.start then used = stored.used end
    return { start = limit.start, used = used }, used > 0 and stored.start > limit.start
  end,

  whole_at = function(limit, state, now)
    return state.used > 0 and limit.stop or now
  end,

  retry_at = function(limit, state, cost, now)
    return limit.stop
  end,
}, { __index = algorithms.f })
