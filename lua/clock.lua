-- The time by which a script goes, and whether it still may. ARGV[1] now, epoch ms; empty: Redis TIME (an
-- injected clock is for tests). ARGV[2] deadline, by the store's time; empty: none. Replies [now, 0] if it
-- is too late.

local is_injected = ARGV[1] ~= ''
local now = tonumber(ARGV[1])
if not is_injected then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local deadline = tonumber(ARGV[2])
if deadline and now > deadline then return { now, 0 } end

-- Under an injected clock the real one must not end a state.
local TTL_MARGIN_MS = is_injected and 3600000 or 0
