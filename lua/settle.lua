-- Ends a reservation with its real cost, 0 if it is dropped; doing so again repeats the first answer.
-- src/limiter/settlement.ts is the reference.
--
-- KEYS   the state key, then the list of each sliding log and the leases, in the order of the limits, then
--        the key of the kept answer, if one is given
-- ARGV   as in check.lua up to the limit sets (one state key, one set), then
--        token      RANDOM:TTL
--        cost       what was really used
--        answer     1: of the request id with which it was reserved the last of KEYS is the kept answer, and
--                   is forgotten, too, if the cost is 0; else 0
-- Reply  [now, 0], [now, 2] or TRYAGAIN as in check.lua; else [now, 1] if there is no such reservation (any more),
--        or [now, 1, reserved, actual, 1 if it was late]; [now, 3] if the state was corrupt and has been
--        removed
-- Cost   O(reservations of the identifier + limits), and see sliding-log.lua

local token, cost, has_answer = argument(), integer(), argument() == '1'
local set, is_dropped = sets[1], false

local function adjust(limit, state, reservation)
  local key = reservation.charged[limit.name]
  if not key then return state end
  -- Of a count that was given up, or given back when it ran out, nothing is left of it.
  local is_counted = reservation.stage ~= 'x' and key == key_of_state(limit)
  local counted = is_counted and reservation.cost or 0
  if cost > counted then return limit.algorithm.charge(limit, state, cost - counted, now) end
  if cost == counted then return state end
  return limit.algorithm.give_back(limit, state, counted - cost, reservation, now)
end

local function settle()
  local hand = hand_of(1)
  load_reservations(hand)
  find_earliest(hand)
  local known = hand.reservations[token]
  if known and known.stage == 's' then return { now, 1, known.cost, known.actual, known.is_late and 1 or 0 } end

  local next_key = 1
  local states, is_changed = stand_all(hand, set, function(index)
    if not set.limits[index].algorithm.has_own_key then return nil end
    next_key = next_key + 1
    return KEYS[next_key]
  end)
  local reservation = hand.reservations[token]
  if not reservation then
    if is_changed then hold(hand, set, states) end
    return { now, 1 }
  end
  for index, limit in ipairs(set.limits) do states[index] = adjust(limit, states[index], reservation) end
  local is_late = reservation.stage == 'x'
  touch_reservation(hand, token, not is_brief(token) and {
    cost = reservation.cost, made = reservation.made, expires = reservation.expires, charged = reservation.charged,
    stage = 's', actual = cost, is_late = is_late,
  } or nil)
  find_earliest(hand)
  hold(hand, set, states)
  is_dropped = cost == 0
  return { now, 1, reservation.cost, cost, is_late and 1 or 0 }
end

local ok, answer = pcall(settle)
if not ok then
  if answer == MOVING or answer == CORRUPT and not all_here(KEYS[1]) then return try_again() end
  if answer ~= CORRUPT then error(answer) end
  remove_damaged(KEYS[1], { unpack(KEYS, 2) })
  return { now, 3 }
end
save_all()
if has_answer and is_dropped then forget_answer(KEYS[1], KEYS[#KEYS]) end
for index = 3, #answer do answer[index] = decimal(answer[index]) end
return answer
