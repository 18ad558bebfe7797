-- Tells those who check an identifier that the configuration has changed for it: until every node has
-- surely read the change, a check that goes by an older revision is answered as outdated
-- (judge.lua), and its node reads the configuration anew. The record is `+:v:0:REVISION:UNTIL`, among
-- those of the limits in the state.
--
-- KEYS   one state key
-- ARGV   now, deadline as in clock.lua, then
--        revision   of the change
--        kept       for so many ms
-- Reply  [now, 0] if it was too late; else [now, 1]
-- Cost   O(limits)

local FORMAT = '1 '

local revision, kept_ms = tonumber(ARGV[3]), tonumber(ARGV[4])
local text = redis.pcall('GET', KEYS[1])
-- Damaged, or not ours: the next check deals with it, and counts anew by whatever its node knows.
if type(text) == 'table' then return { now, 1 } end
if text and string.sub(text, 1, #FORMAT) ~= FORMAT then return { now, 1 } end

local records = {}
for record in string.gmatch(text and string.sub(text, #FORMAT + 1) or '', '%S+') do
  local known = string.match(record, '^%+:v:0:(%d+):%d+$')
  if known then revision = math.max(revision, tonumber(known))
  else records[#records + 1] = record end
end
records[#records + 1] = string.format('+:v:0:%.0f:%.0f', revision, now + kept_ms)

local ttl = redis.call('PTTL', KEYS[1])
local changed = FORMAT .. table.concat(records, ' ')
if ttl == -1 then redis.call('SET', KEYS[1], changed)
else redis.call('SET', KEYS[1], changed, 'PX', string.format('%.0f', math.max(ttl, kept_ms + TTL_MARGIN_MS))) end
return { now, 1 }
