-- Where all limits of a set stand now, once what has run out no longer counts: src/limiter/held.ts is
-- the reference. Gives the states, and whether what is held has to be written.
local function stand_all(hand, set, key_of)
  local states, is_changed = {}, false
  local ended = expire_reservations(hand)
  is_changed = #ended > 0
  for index, limit in ipairs(set.limits) do
    local record = hand.records[limit.name]
    local stored
    if record and record.letter == limit.letter and record.window == limit.window then stored = record.state end
    local state, is_reanchored = limit.algorithm.stand(limit, stored, now, key_of(index))
    for _, reservation in ipairs(ended) do
      if reservation.charged[limit.name] == key_of_state(limit) then
        state = limit.algorithm.give_back(limit, state, reservation.cost, reservation, reservation.expires)
      end
    end
    states[index] = state
    is_changed = is_changed or is_reanchored
  end
  return states, is_changed
end

local function give_up(hand, name, key)
  load_reservations(hand)
  for token, reservation in pairs(hand.reservations) do
    if reservation.charged[name] == key then
      reservation.charged[name] = ''
      hand.touched[token] = true
    end
  end
end

-- What is held from now on; limits that are gone from the set are left out.
local function hold(hand, set, states)
  local records = {}
  for index, limit in ipairs(set.limits) do
    records[limit.name] = { letter = limit.letter, window = limit.window, state = states[index] }
  end
  -- A reservation no longer counts in a state that is given up.
  if hand.earliest or hand.reservations then
    for name, record in pairs(hand.records) do
      local kept = records[name]
      if not kept or kept.letter ~= record.letter or kept.window ~= record.window then
        give_up(hand, name, key_of_state(record))
      end
    end
  end
  for _, name in ipairs(hand.list_names) do
    if not records[name] or records[name].letter ~= 'l' then need_all_here(hand.key) end
  end
  hand.records, hand.set = records, set
end
