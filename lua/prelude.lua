-- Shared by the algorithms. Numbers are doubles that hold integers of at most 2^53-1; every
-- operation below keeps them exact (src/limiter/integer.ts is the same in TypeScript).

local NEVER, NOW = -1, 0
local fmod, max = math.fmod, math.max
-- BUCKET_UNITS_MAX of src/limiter/limit.ts.
local UNITS_MAX = 2 ^ 52

-- Raised where stored state is damaged or isn't ours.
local CORRUPT = { corrupt = true }

-- `%` of Lua 5.1 rounds the quotient first; fmod doesn't.
local function floor_div(dividend, divisor)
  return (dividend - fmod(dividend, divisor)) / divisor
end

local function ceil_div(dividend, divisor)
  local rest = fmod(dividend, divisor)
  local quotient = (dividend - rest) / divisor
  return rest > 0 and quotient + 1 or quotient
end

-- A sum that stays exact: what goes beyond 2^53-1 is cut off.
local function capped_sum(a, b)
  if b > 9007199254740991 - a then return 9007199254740991 end
  return a + b
end

-- tostring() would turn to exponent form at 10^14.
local function decimal(number)
  return string.format('%.0f', number)
end

-- No clock steps by ten years: a stored time beyond is damage.
local FUTURE_MAX_MS = 315360000000

local function is_time(number, now)
  return number ~= nil and number <= now + FUTURE_MAX_MS
end

-- Digits to an integer in our range, or nil.
local function stored_integer(digits)
  local number = tonumber(digits)
  return number and number <= 9007199254740991 and number or nil
end

-- By the letter under which a record names its algorithm. Each has the functions of
-- src/limiter/algorithms/algorithm.ts (stand, admits, consume, charge, add, give_back, remaining, whole_at, retry_at, delay), and
-- decode and encode for its record of two or three integers.
local algorithms = {}
