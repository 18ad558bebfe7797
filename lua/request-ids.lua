-- What was answered under a request id: `SIGNATURE COST TOKEN NOW NUMBER…` under a key of its own, for
-- a minute; the token is - where no place was acquired and nothing reserved. STATE_KEY:ids lists those keys, so that an identifier has at most a thousand of them and
-- can be reset.

local KEPT_MS, KEPT_MAX = 60000, 1000

-- key -> { signature, cost, token, answers }, of this call and of earlier ones; false: none.
local kept_answers, new_answers = {}, {}

local function decode_answer(text)
  local signature, cost, token, numbers = string.match(text, '^(%x+) (%d+) (%S+) ([%d -]+)$')
  if not signature then error(CORRUPT) end
  if token == '-' then token = nil end
  -- Status first, then the token if there is one, and the time of the answer, as a repeated one is told.
  local answers = { 3, token }
  for number in string.gmatch(numbers, '%-?%d+') do answers[#answers + 1] = tonumber(number) end
  return { signature = signature, cost = stored_integer(cost), token = token, answers = answers }
end

local function kept_answer(key)
  local kept = kept_answers[key]
  if kept == nil then
    local text = redis.pcall('GET', key)
    if type(text) == 'table' then error(CORRUPT) end
    kept = text and decode_answer(text) or false
    kept_answers[key] = kept
  end
  return kept
end

local function told_token(check)
  return check.holder or check.reservation and not is_brief(check.reservation) and check.reservation or nil
end

local function keep_answer(check, answers)
  need_all_here(KEYS[check.key_index])
  local texts = { check.set.signature, decimal(check.cost), told_token(check) or '-', decimal(now) }
  for index = 2, #answers do texts[#texts + 1] = decimal(answers[index]) end
  local text = table.concat(texts, ' ')
  kept_answers[check.answer_key] = decode_answer(text)
  new_answers[#new_answers + 1] = { key = check.answer_key, ids_key = KEYS[check.key_index] .. ':ids', text = text }
end

-- What was answered is no longer so.
local function forget_answer(state_key, answer_key)
  redis.call('DEL', answer_key)
  if type(redis.pcall('LREM', state_key .. ':ids', -1, answer_key)) == 'table' then
    redis.call('DEL', state_key .. ':ids')
  end
end

local function save_answers()
  local ttl = decimal(KEPT_MS + TTL_MARGIN_MS)
  for _, new in ipairs(new_answers) do
    redis.call('SET', new.key, new.text, 'PX', ttl)
    local count = redis.pcall('RPUSH', new.ids_key, new.key)
    if type(count) == 'table' then
      redis.call('DEL', new.ids_key)
      count = redis.call('RPUSH', new.ids_key, new.key)
    end
    redis.call('PEXPIRE', new.ids_key, ttl)
    if count > KEPT_MAX then redis.call('DEL', redis.call('LPOP', new.ids_key)) end
  end
end
