-- Renews, releases or lists the leases of an identifier (concurrency.lua says how they are kept).
--
-- KEYS   STATE_KEY:leases
-- ARGV   now        epoch ms; empty: Redis TIME (an injected clock is for tests)
--        deadline   epoch ms by the store's time; a call that runs later changes nothing; empty: none
--        call       renew, release or list
--        holder     RANDOM:TTL, not for list
-- Reply  [now, 0] if it was too late; else [now, 1], then for renew when the lease now ends or 0 if it
--        had run out, for list each holder and when its lease ends
-- Cost   O(log leases), for list O(leases)

local key, call, holder = KEYS[1], ARGV[3], ARGV[4]
local decimal = function(number) return string.format('%.0f', number) end

-- What is of another type holds no leases: the next check deals with it.
local type_of_key = redis.call('TYPE', key).ok
if type_of_key ~= 'zset' and type_of_key ~= 'none' then return { now, 1, call == 'renew' and 0 or nil } end

if call == 'release' then
  redis.call('ZREM', key, holder)
  return { now, 1 }
end

if call == 'renew' then
  local expires = redis.call('ZSCORE', key, holder)
  if not expires or tonumber(expires) <= now then return { now, 1, 0 } end
  local renewed = now + tonumber(string.match(holder, ':(%d+)$'))
  redis.call('ZADD', key, decimal(renewed), holder)
  -- The key lives as long as the last of its leases.
  local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
  redis.call('PEXPIRE', key, decimal(tonumber(last[2]) - now + TTL_MARGIN_MS))
  return { now, 1, renewed }
end

local reply = { now, 1 }
for _, text in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. decimal(now), '+inf', 'WITHSCORES')) do
  reply[#reply + 1] = text
end
return reply
