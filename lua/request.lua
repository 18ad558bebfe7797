-- Reads the limit sets out of ARGV (check.lua describes it).

local ENDLESS = 9007199254740991

-- Behind now and deadline (clock.lua).
local position = 2
local function argument()
  position = position + 1
  return ARGV[position]
end
local function integer()
  return tonumber(argument())
end

local state_count = integer()
local stored_texts = redis.call('MGET', unpack(KEYS, 1, state_count))

-- By number: state keys that aren't ours, which MGET takes for missing. Asked of all at once, newcomers
-- cost next to nothing more.
local is_other_type, missing = {}, {}
for index = 1, state_count do
  if not stored_texts[index] then missing[#missing + 1] = KEYS[index] end
end
if missing[1] and redis.call('EXISTS', unpack(missing)) > 0 then
  for index = 1, state_count do
    is_other_type[index] = not stored_texts[index] and redis.call('EXISTS', KEYS[index]) == 1
  end
end

local sets = {}
for set_index = 1, integer() do
  local set = { signature = argument(), limits = {} }
  for limit_index = 1, integer() do
    local name, letter = argument(), argument()
    local limit = {
      name = name, letter = letter, algorithm = algorithms[letter], is_shadow = argument() == '1',
      limit = integer(), window = integer(), burst = integer(),
    }
    if letter == 'c' then limit.ttl = limit.burst end
    limit.capacity = limit.algorithm.has_burst and limit.burst or limit.limit
    if letter == 'q' then
      local edges = { integer(), integer(), integer(), integer() }
      for first = 1, 3 do
        if edges[first] <= now and now < edges[first + 1] then limit.start, limit.stop = edges[first], edges[first + 1] end
      end
      if not limit.start then return { now, 2 } end
      if limit.stop == ENDLESS then limit.stop = NEVER end
    end
    set.limits[limit_index] = limit
  end
  sets[set_index] = set
end
