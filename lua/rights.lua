-- Tries each command that Brume's scripts use, once, on a key that nobody has, and leaves nothing there.
--
-- KEYS   one key
-- Reply  the names of the commands that the user may not call
-- Cost   O(1)

local key = KEYS[1]
local refused = {}

local function try(name, ...)
  local reply = redis.pcall(name, ...)
  local message = type(reply) == 'table' and reply.err
  if not message then return end
  -- By Redis, and by Valkey.
  if
    string.find(message, 'NOPERM')
    or string.find(message, "can't run this command")
    or string.find(message, 'no permissions to run')
  then
    refused[#refused + 1] = name
  end
end

try('TIME')
try('INFO', 'server')
try('SET', key, '', 'PX', '1000')
try('GET', key)
try('MGET', key)
try('EXISTS', key)
try('TYPE', key)
try('PTTL', key)
try('PERSIST', key)
try('PEXPIRE', key, '1000')
try('DEL', key)
try('HSET', key, 'field', '')
try('PEXPIRE', key, '1000')
try('HGETALL', key)
try('HDEL', key, 'field')
try('RPUSH', key, '1', '2', '3')
try('PEXPIRE', key, '1000')
try('LLEN', key)
try('LINDEX', key, '0')
try('LRANGE', key, '0', '-1')
try('LTRIM', key, '1', '-1')
try('LREM', key, '1', '3')
try('LPOP', key)
try('ZADD', key, '1', 'member')
try('PEXPIRE', key, '1000')
try('ZCARD', key)
try('ZCOUNT', key, '-inf', '+inf')
try('ZSCORE', key, 'member')
try('ZRANGE', key, '0', '-1')
try('ZRANGEBYSCORE', key, '-inf', '+inf')
try('ZREMRANGEBYSCORE', key, '2', '3')
try('ZREM', key, 'member')
redis.pcall('DEL', key)
return refused
