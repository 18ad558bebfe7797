-- Gives quotas back what was used of them, from their checkpoints: raises a count of the same calendar
-- and period, lowers none, and leaves alone what is counted otherwise by now. lua/check.lua and
-- lua/quota.lua describe the text of a state. A second call with the same changes nothing.
--
-- KEYS   state keys, each once
-- ARGV   now         epoch ms; empty: Redis TIME (an injected clock is for tests)
--        deadline    epoch ms by the store's time; a call that runs later changes nothing; empty: none
--        then for each checkpoint: its key by number, the quota's name, its calendar's id, start and end
--        of the period (9007199254740991: none), how much was used
-- Reply  [now, 0] if it was too late; else [now, 1, how many it raised]
-- Cost   O(checkpoints)

local FORMAT = '1 '
local ENDLESS = 9007199254740991

-- The text of the state with this much used; nil where that is not called for.
local function raised(text, name, calendar, start, used)
  local record = name .. ':q:' .. calendar .. ':' .. start .. ':' .. used
  if not text then return FORMAT .. record end
  -- Damaged, or not ours: the next check deals with it.
  if string.sub(text, 1, #FORMAT) ~= FORMAT then return nil end
  local records, is_there = {}, false
  for known in string.gmatch(string.sub(text, #FORMAT + 1), '%S+') do
    local known_name, rest = string.match(known, '^([^:]+):(.*)$')
    if known_name == name then
      local known_start, known_used = string.match(rest, '^q:' .. calendar .. ':(%d+):(%d+)$')
      known_start, known_used = tonumber(known_start), tonumber(known_used)
      if not known_start or known_start > tonumber(start) then return nil end
      if known_start == tonumber(start) and known_used >= tonumber(used) then return nil end
      is_there, known = true, record
    end
    records[#records + 1] = known
  end
  if not is_there then records[#records + 1] = record end
  return FORMAT .. table.concat(records, ' ')
end

local count = 0
for first = 3, #ARGV, 6 do
  local key, name, calendar = KEYS[tonumber(ARGV[first])], ARGV[first + 1], ARGV[first + 2]
  local start, stop, used = ARGV[first + 3], tonumber(ARGV[first + 4]), ARGV[first + 5]
  local stored = redis.pcall('GET', key)
  if tonumber(start) <= now and now < stop and type(stored) ~= 'table' then
    local text = raised(stored, name, calendar, start, used)
    if text then
      local ttl = redis.call('PTTL', key)
      if stop == ENDLESS or ttl == -1 then
        redis.call('SET', key, text)
      else
        redis.call('SET', key, text, 'PX', string.format('%.0f', math.max(ttl, stop - now + TTL_MARGIN_MS)))
      end
      count = count + 1
    end
  end
end
return { now, 1, count }
