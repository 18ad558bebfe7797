-- Forgets what an identifier used: its counters, its reservations, and what was answered under its
-- request ids; not its leases, nor that the configuration has changed for it (announce.lua).
--
-- KEYS   one state key
-- ARGV   deadline   epoch ms by the store's time; a call that runs later changes nothing
-- Reply  [now, 0] if it was too late, else [now, 1]; now in epoch ms by the store's time; TRYAGAIN: see moving.lua
-- Cost   O(request ids of the last minute)

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then return { now, 0 } end

if not all_here(KEYS[1]) then return try_again() end
local state = redis.call('MGET', KEYS[1])[1]
if state then
  for name in string.gmatch(state, ' ([^ :]+):l:') do redis.call('DEL', KEYS[1] .. ':' .. name) end
end
local ids_key = KEYS[1] .. ':ids'
local ids = redis.pcall('LRANGE', ids_key, 0, -1)
if not ids.err then
  for _, answer_key in ipairs(ids) do redis.call('DEL', answer_key) end
end
redis.call('DEL', KEYS[1], KEYS[1] .. ':reservations', ids_key)
local change, stop = string.match(state or '', ' (%+:v:0:%d+:(%d+))')
if change and tonumber(stop) > now then
  redis.call('SET', KEYS[1], '1 ' .. change, 'PX', string.format('%.0f', tonumber(stop) - now))
end
return { now, 1 }
