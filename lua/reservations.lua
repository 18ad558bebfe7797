-- The counterpart of src/limiter/reservations.ts. An identifier's reservations stand in a hash of their
-- own, STATE_KEY:reservations: RANDOM:TTL -> `COST MADE EXPIRES STATE ACTUAL LATE NAME=KEY,…`, with STATE
-- o (open), x (expired) or s (settled), and for each limit that it was counted in what its state was
-- known by, LETTER:WINDOW; nothing where that state has been given up since. The record `-:r:0:EARLIEST:0` among the limits' says when the
-- next open one runs out, so that a check need not look before.

local RESERVATION_KEPT_MS, RESERVATIONS_MAX = 600000, 1000

local function decode_reservation(text)
  local cost, made, expires, stage, actual, late, names =
    string.match(text, '^(%d+) (%d+) (%d+) ([oxs]) (%d+) ([01]) (%S*)$')
  if not cost then error(CORRUPT) end
  local reservation = {
    cost = stored_integer(cost), made = stored_integer(made), expires = stored_integer(expires),
    stage = stage, actual = stored_integer(actual), is_late = late == '1', charged = {},
  }
  for name, key in string.gmatch(names, '([^,=]+)=([^,]*)') do reservation.charged[name] = key end
  return reservation
end

local function encode_reservation(reservation)
  local names = {}
  for name, key in pairs(reservation.charged) do names[#names + 1] = name .. '=' .. key end
  table.sort(names)
  return table.concat({
    decimal(reservation.cost), decimal(reservation.made), decimal(reservation.expires), reservation.stage,
    decimal(reservation.actual), reservation.is_late and '1' or '0', table.concat(names, ','),
  }, ' ')
end

-- One of a batch over several servers (src/stores/redis/cluster/): it is none of those that an identifier
-- may have, nobody is told of it, and once it is settled it is gone.
local function is_brief(token)
  return string.sub(token, 1, 1) == '~'
end

-- What the state of a limit is known by: a count under another key is another count.
local function key_of_state(limit)
  return limit.letter .. ':' .. decimal(limit.window)
end

-- token -> reservation, in hand.reservations, with hand.reservation_count.
local function load_reservations(hand)
  if hand.reservations then return end
  need_all_here(hand.key)
  hand.reservations, hand.reservation_count, hand.touched = {}, 0, {}
  local flat = redis.pcall('HGETALL', hand.key .. ':reservations')
  if flat.err then error(CORRUPT) end
  for index = 1, #flat, 2 do
    hand.reservations[flat[index]] = decode_reservation(flat[index + 1])
    if not is_brief(flat[index]) then hand.reservation_count = hand.reservation_count + 1 end
  end
end

local function touch_reservation(hand, token, reservation)
  local step = is_brief(token) and 0 or 1
  if reservation and not hand.reservations[token] then hand.reservation_count = hand.reservation_count + step end
  if not reservation and hand.reservations[token] then hand.reservation_count = hand.reservation_count - step end
  hand.reservations[token], hand.touched[token] = reservation, true
end

-- Sets hand.earliest to when the next open one runs out; nil if none is open.
local function find_earliest(hand)
  hand.earliest = nil
  for _, reservation in pairs(hand.reservations) do
    if reservation.stage == 'o' and (not hand.earliest or reservation.expires < hand.earliest) then
      hand.earliest = reservation.expires
    end
  end
end

-- What has run out by now; marks it, and forgets what is long over.
local function expire_reservations(hand)
  if not hand.earliest or now < hand.earliest then return {} end
  load_reservations(hand)
  local ended, over = {}, {}
  for token, reservation in pairs(hand.reservations) do
    local is_ending = reservation.stage == 'o' and reservation.expires <= now
    if is_ending then ended[#ended + 1] = reservation end
    if now >= reservation.expires + RESERVATION_KEPT_MS then over[#over + 1] = token
    elseif is_ending then
      reservation.stage = 'x'
      hand.touched[token] = true
    end
  end
  for _, token in ipairs(over) do touch_reservation(hand, token, nil) end
  find_earliest(hand)
  return ended
end

-- Open ones stay as long as what they were counted in, up to state_end: who comes late gives them back.
local function save_reservations(hand, state_end)
  if not hand.touched and not hand.earliest then return end
  local key, last = hand.key .. ':reservations', hand.earliest and state_end or now
  for token in pairs(hand.touched or {}) do
    local reservation = hand.reservations[token]
    if reservation then redis.call('HSET', key, token, encode_reservation(reservation))
    else redis.call('HDEL', key, token) end
  end
  for _, reservation in pairs(hand.reservations or {}) do
    last = max(last, reservation.expires + RESERVATION_KEPT_MS)
  end
  if last == math.huge then redis.call('PERSIST', key)
  elseif last > now then
    local ttl, had = last - now + TTL_MARGIN_MS, redis.call('PTTL', key)
    -- Never shortened, since not all of them may be in hand; without an end there is a new hash, or one
    -- that had none and whose open ones may all be over now.
    if had < ttl and (had ~= -1 or hand.reservations) then redis.call('PEXPIRE', key, decimal(ttl)) end
  end
end
