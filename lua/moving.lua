-- In a cluster a slot may be on its way to another server, key by key. Redis then lets a script have those
-- of its KEYS that are here, and says TRYAGAIN where some are here and some are not; but of what a script
-- finds out that it needs beside KEYS (an identifier's reservations, the list of its request ids) nobody
-- knows where it is. A script that needs such keys asks before it writes anything whether all are here, and
-- else replies TRYAGAIN, too, having done nothing.

-- Raised where they may not all be here.
local MOVING = { moving = true }

local here_of = {}
local function all_here(key)
  if here_of[key] == nil then
    -- Two that are nowhere: of such a slot neither server lets a script have them. O(1).
    here_of[key] = type(redis.pcall('EXISTS', key .. ':?', key .. ':??')) ~= 'table'
  end
  return here_of[key]
end

local function need_all_here(key)
  if not all_here(key) then error(MOVING) end
end

local function try_again()
  return redis.error_reply('TRYAGAIN the slot is on its way to another server')
end
