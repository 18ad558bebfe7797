-- One check against all limits of its set: src/limiter/plan.ts is the reference.

local DENIED, ADMITTED, CORRUPTED, REPEATED, CONFLICTING, HELD_BACK = 0, 1, 2, 3, 4, 5
local TEXT_FROM = 2 ^ 52

-- The numbers of one limit, as check.lua describes them, appended to answers.
local function answer_limit(answers, limit, before, after, admits, cost)
  local algorithm, count = limit.algorithm, #answers
  answers[count + 1] = admits and 1 or 0
  if limit.limit == 0 then
    answers[count + 2], answers[count + 3], answers[count + 4], answers[count + 5] = 0, NEVER, NEVER, NEVER
  else
    local remaining = algorithm.remaining(limit, after)
    answers[count + 2] = remaining
    answers[count + 3] = algorithm.whole_at(limit, after, now)
    if admits then answers[count + 4] = NOW
    elseif cost > limit.capacity then answers[count + 4] = NEVER
    else answers[count + 4] = algorithm.retry_at(limit, before, cost, now) end
    if remaining >= limit.capacity then answers[count + 5] = NOW
    else answers[count + 5] = algorithm.retry_at(limit, after, remaining + 1, now) end
  end
  if algorithm.delay then
    answers[count + 6] = admits and limit.limit > 0 and algorithm.delay(limit, before) or 0
  end
end

local function judge(check)
  local limits, cost = check.set.limits, check.cost
  local hand = hand_of(check.key_index)
  local states, admits, amounts, never = {}, {}, {}, {}
  local all_admit, is_changed = true, false
  for index, limit in ipairs(limits) do
    local record = hand.records[limit.name]
    local stored
    if record and record.letter == limit.letter and record.window == limit.window then stored = record.state end
    local state, is_reanchored = limit.algorithm.stand(limit, stored, now, check.list_keys[index])
    states[index] = state
    amounts[index] = limit.letter == 'c' and 1 or cost
    -- A place can only be held by somebody; whoever merely looks is told how it stands.
    local lacks_holder = limit.letter == 'c' and not check.holder and not check.is_peek and not limit.is_shadow
    admits[index] = limit.limit > 0 and amounts[index] <= limit.capacity and not lacks_holder
      and limit.algorithm.admits(limit, state, amounts[index])
    if lacks_holder then never[index] = true end
    all_admit = all_admit and (admits[index] or limit.is_shadow)
    is_changed = is_changed or is_reanchored
  end
  local answers, records = { all_admit and ADMITTED or DENIED }, {}
  for index, limit in ipairs(limits) do
    local before, after = states[index], states[index]
    local is_charged = all_admit
    if limit.is_shadow then is_charged = admits[index] end
    local amount = amounts[index]
    if limit.letter == 'c' then is_charged = is_charged and check.holder end
    if is_charged and amount > 0 and not check.is_peek then
      after = limit.algorithm.consume(limit, before, amount, now, check.holder)
      is_changed = true
    end
    answer_limit(answers, limit, before, after, admits[index], never[index] and math.huge or amount)
    records[limit.name] = { letter = limit.letter, window = limit.window, state = after }
  end
  if is_changed then hand.records, hand.set = records, check.set end
  return answers
end

-- As judge; but an admitted check with a request id is judged once, and answered alike for a minute.
local function judge_once(check)
  if not check.answer_key or check.is_peek then return judge(check) end
  local kept = kept_answer(check.answer_key)
  if not kept then
    local answers = judge(check)
    if answers[1] == ADMITTED then keep_answer(check, answers) end
    return answers
  end
  if kept.cost ~= check.cost or not kept.holder ~= not check.holder then return { CONFLICTING } end
  if kept.signature == check.set.signature then return kept.answers end
  -- The rule has changed since: what it says now, but the check stays admitted.
  check.is_peek = true
  local answers = judge(check)
  answers[1] = REPEATED
  table.insert(answers, 2, now)
  if kept.holder then table.insert(answers, 2, kept.holder) end
  return answers
end
