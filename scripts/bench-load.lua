-- The load of scripts/bench, for wrk: POSTs that ask for one of 10,000 identifiers at random, in the
-- body for Brume and in a header for nginx. Argument: the API key. Ends with one line of JSON.

local IDENTIFIERS = 10000
local requests = {}

function init(args)
  math.randomseed(os.time())
  for i = 1, IDENTIFIERS do
    local headers = {
      ['Content-Type'] = 'application/json',
      ['X-API-Key'] = args[1],
      ['X-Identifier'] = 'user-' .. i,
    }
    requests[i] = wrk.format('POST', nil, headers, '{"namespace":"bench","identifier":"user-' .. i .. '"}')
  end
end

function request()
  return requests[math.random(IDENTIFIERS)]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"p999Us":%d,"errors":%d}\n',
    summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9),
    errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
