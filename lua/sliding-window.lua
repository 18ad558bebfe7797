-- The counterpart of src/limiter/algorithms/sliding-window.ts: the estimate is in units of 1/windowMs
-- of a request, so that the weight of the window before is never floored.
-- Record: startMs, used, used in the window before. O(1).
local function estimate(limit, state)
  return state.used * limit.window + state.before * (limit.window - state.elapsed)
end

algorithms.w = {
  decode = function(start, used, before, window, now)
    local is_sound = is_time(start, now) and used and before and (used + before) * window <= 2 * UNITS_MAX
    return is_sound and { start = start, used = used, before = before } or nil
  end,

  encode = function(state)
    return decimal(state.start), decimal(state.used), decimal(state.before)
  end,

  stand = function(limit, stored, now)
    local elapsed = fmod(now, limit.window)
    local state = { start = now - elapsed, elapsed = elapsed, used = 0, before = 0 }
    if not stored or stored.start < state.start - limit.window then return state, false end
    if stored.start < state.start then
      state.before = stored.used
      return state, false
    end
    state.used, state.before = stored.used, stored.before
    return state, stored.start > state.start
  end,

  admits = function(limit, state, cost)
    return estimate(limit, state) <= (limit.limit - cost) * limit.window
  end,

  consume = function(limit, state, cost, now)
    return { start = state.start, elapsed = state.elapsed, used = state.used + cost, before = state.before }
  end,

  charge = function(limit, state, amount, now)
    local used_max = max(state.used, floor_div(UNITS_MAX, limit.window) - state.before)
    local used = math.min(used_max, capped_sum(state.used, amount))
    return { start = state.start, elapsed = state.elapsed, used = used, before = state.before }
  end,

  add = function(limit, state, counted, now)
    local stored = { start = tonumber(counted[1]), used = tonumber(counted[2]), before = tonumber(counted[3]) }
    local other = limit.algorithm.stand(limit, stored, now)
    local used_max = floor_div(UNITS_MAX, limit.window)
    local before = math.min(max(state.before, used_max - state.used), capped_sum(state.before, other.before))
    local used = math.min(max(state.used, used_max - before), capped_sum(state.used, other.used))
    return { start = state.start, elapsed = state.elapsed, used = used, before = before }
  end,

  give_back = function(limit, state, amount, reservation, as_of)
    local used, before = state.used, state.before
    if reservation.made >= state.start then used = max(0, used - amount)
    elseif reservation.made >= state.start - limit.window then before = max(0, before - amount) end
    return { start = state.start, elapsed = state.elapsed, used = used, before = before }
  end,

  remaining = function(limit, state)
    return max(0, floor_div(limit.limit * limit.window - estimate(limit, state), limit.window))
  end,

  whole_at = function(limit, state, now)
    if state.used > 0 then return state.start + 2 * limit.window end
    return state.before > 0 and state.start + limit.window or now
  end,

  retry_at = function(limit, state, cost, now)
    local room = (limit.limit - cost) * limit.window
    local room_before = room - state.used * limit.window
    if room_before >= 0 then
      return state.start + limit.window - floor_div(room_before, state.before)
    end
    return state.start + 2 * limit.window - floor_div(room, state.used)
  end,
}
