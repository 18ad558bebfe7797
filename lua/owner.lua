-- Claims this Redis for one installation, or renews its claim, so that no other one counts in it; or
-- ends one node's part in the claim, and with the last part the claim; or tells whose it is, and which nodes
-- have parts in it.
--
-- KEYS   the key of the owner; the key of its nodes, a sorted set by when their parts end
-- ARGV   call           claim, release, look or nodes; the last two need nothing more
--        installation   its id, without blanks
--        node           the id of the node, new at every start
--        holder         claim: who claims, in words, for the other's message
--        ttl            claim: ms for which the claim holds
-- Reply  claim: an empty string if it is this installation's; else the other's holder
--        look: `INSTALLATION HOLDER`, or an empty string if nobody claims it
--        nodes: their ids, of those that are gone too until the claim ends
--        release: 1 if the claim has ended, else 0
-- State  both keys end with the claim
-- Cost   O(nodes)

local call, installation, node = ARGV[1], ARGV[2], ARGV[3]
local claim = redis.call('GET', KEYS[1]) or ''
if call == 'look' then return claim end
if call == 'nodes' then return redis.call('ZRANGE', KEYS[2], 0, -1) end
local id, holder = string.match(claim, '^(%S+) (.*)$')

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

if call == 'claim' then
  if id and id ~= installation then return holder end
  local set = redis.pcall('SET', KEYS[1], installation .. ' ' .. ARGV[4], 'PX', ARGV[5])
  if set.err then
    -- Where memory is out nobody can claim anything, and what there is can still be made to last.
    if not id or not string.find(set.err, '^%-?OOM') then return set end
    redis.call('PEXPIRE', KEYS[1], ARGV[5])
    redis.call('PEXPIRE', KEYS[2], ARGV[5])
    return ''
  end
  -- What an installation left here that is gone.
  if not id then redis.call('DEL', KEYS[2]) end
  redis.call('ZADD', KEYS[2], now_ms + ARGV[5], node)
  redis.call('PEXPIRE', KEYS[2], ARGV[5])
  return ''
end

if id ~= installation then return 0 end
-- Its own part was not renewed while memory was out, and so were those of others not: the claim runs out.
local own = redis.call('ZSCORE', KEYS[2], node)
if not own or tonumber(own) <= now_ms then return 0 end
redis.call('ZREM', KEYS[2], node)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now_ms)
if redis.call('ZCARD', KEYS[2]) > 0 then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
return 1
