-- What is stored under a state key, decoded once a call, and written once if it changed.

local FORMAT = '1'

-- name -> { letter, window, state }, when the next reservation runs out, and a change of configuration
-- that concerns this identifier, see announce.lua; raises CORRUPT.
local function decode_records(text)
  local records, earliest, change, from = {}, nil, nil, 3
  if string.sub(text, 1, 2) ~= FORMAT .. ' ' then error(CORRUPT) end
  while from <= #text do
    local name, letter, window, first, second, third, next_from =
      string.match(text, '^([^ :]+):(%l):(%d+):(%d+):(%d+):?(%d*) ?()', from)
    local algorithm = algorithms[letter]
    if letter == 'r' then
      earliest = stored_integer(first)
    elseif letter == 'v' then
      change = { revision = stored_integer(first), stop = stored_integer(second) }
      if not change.revision or not change.stop then error(CORRUPT) end
    elseif algorithm then
      local state = algorithm.decode(
        stored_integer(first), stored_integer(second), stored_integer(third), tonumber(window), now
      )
      if not state then error(CORRUPT) end
      records[name] = { letter = letter, window = tonumber(window), state = state }
    else error(CORRUPT) end
    from = next_from
  end
  return records, earliest, change
end

-- What is in hand of each state key: records; set, under which they were last changed, if they were;
-- list_names, the sliding logs that were there before.
local hands = {}
local function hand_of(index)
  local hand = hands[index]
  if hand then return hand end
  if is_other_type[index] then error(CORRUPT) end
  hand = { key = KEYS[index], records = {}, list_names = {} }
  hands[index] = hand
  local text = stored_texts[index]
  if text then
    hand.records, hand.earliest, hand.change = decode_records(text)
    if hand.earliest then need_all_here(hand.key) end
    for name, record in pairs(hand.records) do
      if record.letter == 'l' then hand.list_names[#hand.list_names + 1] = name end
    end
  end
  return hand
end

local function encoded_record(limit, state)
  local first, second, third = limit.algorithm.encode(state)
  local text = limit.name .. ':' .. limit.letter .. ':' .. decimal(limit.window) .. ':' .. first .. ':' .. second
  return third and text .. ':' .. third or text
end

-- From when on a state is worth no more than none. A limit of 0 never becomes whole; what it holds is
-- kept for a window, in case it is raised.
local function end_of(limit, state)
  if limit.limit == 0 and limit.letter ~= 'q' then return now + limit.window end
  local whole_at = limit.algorithm.whole_at(limit, state, now)
  return whole_at == NEVER and math.huge or whole_at
end

-- Whether its first command may need memory.
local function begins_growing(hand)
  for _, limit in ipairs(hand.set.limits) do
    local state = hand.records[limit.name].state
    if limit.algorithm.encode or state.expiries and (next(state.added) or next(state.moved)) then return true end
  end
  return hand.earliest or hand.other_texts or hand.change and hand.change.stop > now
end

-- The text of a state, and when it ends; nil where nothing is left to be said.
local function text_of(hand)
  local texts, expires_at = { FORMAT }, now + 1
  for _, limit in ipairs(hand.set.limits) do
    if limit.algorithm.encode then
      local state = hand.records[limit.name].state
      texts[#texts + 1] = encoded_record(limit, state)
      expires_at = max(expires_at, end_of(limit, state))
    end
  end
  -- Of other limits, which merge.lua leaves as they are.
  for _, text in ipairs(hand.other_texts or {}) do texts[#texts + 1] = text end
  if hand.other_texts then expires_at = max(expires_at, hand.others_end) end
  if hand.earliest then texts[#texts + 1] = '-:r:0:' .. decimal(hand.earliest) .. ':0' end
  if hand.change and hand.change.stop > now then
    texts[#texts + 1] = '+:v:0:' .. decimal(hand.change.revision) .. ':' .. decimal(hand.change.stop)
    expires_at = max(expires_at, hand.change.stop)
  end
  return #texts > 1 and table.concat(texts, ' ') or nil, expires_at
end

-- A Redis that is out of memory refuses a command that may need more, but only as the first with which a
-- script writes: behind a DEL it lets all pass. So whatever may need more is written first.
local function save_hand(hand)
  local text, expires_at = text_of(hand)
  if text and expires_at == math.huge then redis.call('SET', hand.key, text)
  elseif text then redis.call('SET', hand.key, text, 'PX', decimal(expires_at - now + TTL_MARGIN_MS)) end
  for _, limit in ipairs(hand.set.limits) do
    if limit.algorithm.save then limit.algorithm.save(hand.records[limit.name].state, limit, now) end
  end
  save_reservations(hand, expires_at)
  if not text then redis.call('DEL', hand.key) end
  for _, name in ipairs(hand.list_names) do
    local record = hand.records[name]
    if not record or record.letter ~= 'l' then redis.call('DEL', hand.key .. ':' .. name) end
  end
end

-- What can't be read is removed, with the lists beside it; of leases only what is none.
local function remove_damaged(state_key, own_keys)
  -- Changes nothing that stays; but where memory is out, the script ends here, having done nothing.
  redis.call('SET', state_key, '', 'XX')
  redis.call('DEL', state_key, state_key .. ':reservations')
  for _, key in pairs(own_keys) do
    if redis.call('TYPE', key).ok ~= 'zset' then redis.call('DEL', key)
    else
      for _, holder in ipairs(redis.call('ZRANGE', key, 0, -1)) do
        if not string.find(holder, ':%d+$') then redis.call('ZREM', key, holder) end
      end
    end
  end
end

-- Takes a state back to what is stored.
local function forget_hand(index)
  hands[index] = nil
end

local function forget_all()
  hands, kept_answers, new_answers = {}, {}, {}
end

local function save_all()
  save_answers()
  local others = {}
  for _, hand in pairs(hands) do
    if hand.set and begins_growing(hand) then save_hand(hand)
    elseif hand.set then others[#others + 1] = hand end
  end
  for _, hand in ipairs(others) do save_hand(hand) end
end
