-- Counts what nodes admitted by themselves while they had no answer from here, whatever the limits.
-- src/limiter/merge.ts is the reference. What belongs to a window that is over by now counts no more.
--
-- KEYS   the state keys, each once, then sliding logs' lists and leases, each once; all under one hash tag
-- ARGV   as in check.lua up to the limit sets, then
--        merges     how many follow, each:
--                     set, state key, then for each limit: the key of its list or of the leases, if it has
--                     one; how many texts follow; and those: of a sliding log's entries time and cost in
--                     turn, of leases holder and end, else the integers of the limit's record
-- Reply  [now, 0], [now, 2] or TRYAGAIN as in check.lua; else [now, 1], then for each limit of each merge how many
--        checks of cost 1 would pass, and when it is whole again (-1: never)
-- Cost   O(merges × limits), and see sliding-log.lua and concurrency.lua

-- WINDOW_MS_MAX of src/limiter/limit.ts.
local WINDOW_MAX_MS = 31622400000

local merges = {}
for index = 1, integer() do
  local merge = { set = sets[integer()], key_index = integer(), own_keys = {}, counted = {} }
  for limit_index, limit in ipairs(merge.set.limits) do
    if limit.algorithm.has_own_key then merge.own_keys[limit_index] = KEYS[integer()] end
    local texts = {}
    for text_index = 1, integer() do texts[text_index] = argument() end
    merge.counted[limit_index] = texts
  end
  merges[index] = merge
end

-- As hold(), but the records of limits that the set doesn't have stay: it may be that of a node to which
-- a change of the rule has not come yet.
local function hold_beside_others(hand, set, states)
  local is_of_set, others = {}, {}
  for _, limit in ipairs(set.limits) do is_of_set[limit.name] = true end
  for name, record in pairs(hand.records) do
    if not is_of_set[name] then others[name] = record end
  end
  for name in pairs(others) do hand.records[name] = nil end
  hold(hand, set, states)
  if not next(others) then return end
  hand.other_texts = {}
  for name, record in pairs(others) do hand.records[name] = record end
  for text in string.gmatch(hand.text, '%S+') do
    if others[string.match(text, '^([^:]+):')] then hand.other_texts[#hand.other_texts + 1] = text end
  end
  local ttl = redis.call('PTTL', hand.key)
  -- Without an end as a whole: nobody knows the end of these, so that they get a year, which a check corrects.
  hand.others_end = now + (ttl == -1 and WINDOW_MAX_MS or ttl)
end

local function merge_once(merge)
  local hand, set, answers = hand_of(merge.key_index), merge.set, {}
  hand.text = stored_texts[merge.key_index]
  local states = stand_all(hand, set, function(index) return merge.own_keys[index] end)
  for index, limit in ipairs(set.limits) do
    local algorithm, counted = limit.algorithm, merge.counted[index]
    if #counted > 0 then states[index] = algorithm.add(limit, states[index], counted, now) end
    if limit.limit == 0 then answers[#answers + 1], answers[#answers + 2] = 0, NEVER
    else
      answers[#answers + 1] = algorithm.remaining(limit, states[index])
      answers[#answers + 1] = algorithm.whole_at(limit, states[index], now)
    end
  end
  hold_beside_others(hand, set, states)
  return answers
end

local reply = { now, 1 }
for _, merge in ipairs(merges) do
  local ok, answers = pcall(merge_once, merge)
  if not ok then
    if answers == MOVING or answers == CORRUPT and not all_here(KEYS[merge.key_index]) then return try_again() end
    if answers ~= CORRUPT then error(answers) end
    -- What is damaged is removed, and the merge counts on nothing.
    remove_damaged(KEYS[merge.key_index], merge.own_keys)
    stored_texts[merge.key_index], is_other_type[merge.key_index] = false, false
    forget_hand(merge.key_index)
    answers = merge_once(merge)
  end
  for _, number in ipairs(answers) do reply[#reply + 1] = decimal(number) end
end
save_all()
return reply
