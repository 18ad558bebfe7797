-- Claims this Redis for one installation, or renews its claim, so that no other one counts in it.
--
-- KEYS   the key of the owner
-- ARGV   installation   its id, without blanks
--        holder         who claims, in words, for the other's message
--        ttl            ms for which the claim holds
-- Reply  an empty string if it is this installation's; else the other's holder
-- Cost   O(1)

local owner = redis.call('GET', KEYS[1])
if not owner then
  redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
  return ''
end
local id, holder = string.match(owner, '^(%S+) (.*)$')
if id ~= ARGV[1] then return holder or 'unknown' end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return ''
