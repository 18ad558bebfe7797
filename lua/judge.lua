-- One check against all limits of its set: src/limiter/plan.ts is the reference.

local DENIED, ADMITTED, CORRUPTED, REPEATED, CONFLICTING, HELD_BACK, FULL, STALE = 0, 1, 2, 3, 4, 5, 6, 7
local TEXT_FROM = 2 ^ 52

-- Which change of the configuration the checks go by; check.lua reads it.
local revision

-- The numbers of one limit, as check.lua describes them, appended to answers.
local function answer_limit(answers, limit, before, after, admits, is_hopeless, amount)
  local algorithm, count = limit.algorithm, #answers
  answers[count + 1] = admits and 1 or 0
  if limit.limit == 0 then
    answers[count + 2], answers[count + 3], answers[count + 4], answers[count + 5] = 0, NEVER, NEVER, NEVER
  else
    local remaining = algorithm.remaining(limit, after)
    answers[count + 2] = remaining
    answers[count + 3] = algorithm.whole_at(limit, after, now)
    if admits then answers[count + 4] = NOW
    elseif is_hopeless then answers[count + 4] = NEVER
    else answers[count + 4] = algorithm.retry_at(limit, before, amount, now) end
    if remaining >= limit.capacity then answers[count + 5] = NOW
    else answers[count + 5] = algorithm.retry_at(limit, after, remaining + 1, now) end
  end
  if algorithm.delay then
    answers[count + 6] = admits and limit.limit > 0 and algorithm.delay(limit, before) or 0
  end
end

-- What a limit says of a check on its state: whether it admits, the amount that is asked of it (a place,
-- or the cost), and whether waiting can't help.
local function ask(check, limit, state)
  local is_place = limit.letter == 'c'
  local amount = is_place and 1 or check.cost
  -- A place can only be held by somebody; whoever merely looks is told how it stands.
  local lacks_holder = is_place and not check.holder and not check.is_peek and not limit.is_shadow
  local is_hopeless = lacks_holder or amount > limit.capacity
  local admits = limit.limit > 0 and not is_hopeless and limit.algorithm.admits(limit, state, amount)
  return admits, amount, is_hopeless
end

local function judge(check)
  local limits, hand = check.set.limits, hand_of(check.key_index)
  local states, is_changed = stand_all(hand, check.set, function(index) return check.list_keys[index] end)
  local token = not check.is_peek and check.reservation
  if token then
    load_reservations(hand)
    if hand.reservation_count >= RESERVATIONS_MAX and not is_brief(token) then return { FULL } end
  end

  local admits, amounts, is_hopeless, all_admit = {}, {}, {}, true
  for index, limit in ipairs(limits) do
    admits[index], amounts[index], is_hopeless[index] = ask(check, limit, states[index])
    all_admit = all_admit and (admits[index] or limit.is_shadow)
  end

  local answers, charged = { all_admit and ADMITTED or DENIED }, {}
  for index, limit in ipairs(limits) do
    local before, amount = states[index], amounts[index]
    local is_charged = all_admit
    -- A lease that was given must be one, on trial too: its places are counted beyond the limit.
    if limit.is_shadow and limit.letter ~= 'c' then is_charged = admits[index] end
    if limit.letter == 'c' and not check.holder then is_charged = false end
    if is_charged and amount > 0 and not check.is_peek then
      states[index] = limit.algorithm.consume(limit, before, amount, now, check.holder)
      charged[limit.name], is_changed = key_of_state(limit), true
    end
    answer_limit(answers, limit, before, states[index], admits[index], is_hopeless[index], amount)
  end
  if token and all_admit then
    local expires = now + ttl_of(token)
    touch_reservation(hand, token, {
      cost = check.cost, made = now, expires = expires, stage = 'o', actual = 0, is_late = false, charged = charged,
    })
    if not hand.earliest or expires < hand.earliest then hand.earliest = expires end
    is_changed = true
  end
  if is_changed then hold(hand, check.set, states) end
  return answers
end

-- As judge; but nothing is judged by a configuration that is known to be outdated, a block or an
-- exemption goes before all limits, and an admitted check with a request id is judged once, and answered
-- alike for a minute.
local function judge_once(check)
  local change = hand_of(check.key_index).change
  if change and change.revision > revision and change.stop > now then return { STALE } end
  if check.ruling then return { check.ruling } end
  if not check.answer_key or check.is_peek then return judge(check) end
  local kept = kept_answer(check.answer_key)
  if not kept then
    local answers = judge(check)
    if answers[1] == ADMITTED then keep_answer(check, answers) end
    return answers
  end
  if kept.cost ~= check.cost or not kept.token ~= not told_token(check) then return { CONFLICTING } end
  if kept.signature == check.set.signature then return kept.answers end
  -- The rule has changed since: what it says now, but the check stays admitted.
  check.is_peek = true
  local answers = judge(check)
  answers[1] = REPEATED
  table.insert(answers, 2, now)
  if kept.token then table.insert(answers, 2, kept.token) end
  return answers
end
