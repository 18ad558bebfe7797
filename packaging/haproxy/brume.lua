-- Asks Brume whether a request may pass: the two actions that docs/haproxy.md explains. For
-- HAProxy 2.6 or later. brume.cfg loads it, and names by setenv the file with the key
-- (BRUME_KEY_FILE) and what becomes of a request that Brume does not answer (BRUME_UNANSWERED).
--
-- "brume NAMESPACE", on http-request: judges the request, and answers a denied one.
-- "brume-headers", on http-response: shows what the verdict said on the answer of the application.
--
-- The verdict stands in variables too, for logs and rules: txn.brume_verdict (allowed, denied,
-- closed, unjudged, fault), and txn.brume_degraded and its kin, one a header.

local key_path = os.getenv("BRUME_KEY_FILE") or ""
local when_unjudged = os.getenv("BRUME_UNANSWERED")

-- The listener of brume.cfg: within HAProxy, so that connections to Brume are kept and shared, and
-- that HAProxy's own time-outs and health checks hold for them.
local CHECKS = "abns@brume-checks"
-- In seconds; more than brume.cfg gives Brume, whose time-outs so come first.
local SOCKET_TIMEOUT = 15
-- A denial is a few hundred bytes.
local BODY_BYTES_MAX = 4096
local HEADER_LINES_MAX = 100

-- What an answer's headers are called, and the variables that remember them.
local SHOWN = {
  ["Retry-After"] = "txn.brume_retry_after",
  ["X-RateLimit-Limit"] = "txn.brume_limit",
  ["X-RateLimit-Remaining"] = "txn.brume_remaining",
  ["X-RateLimit-Reset"] = "txn.brume_reset",
  ["RateLimit"] = "txn.brume_ratelimit",
  ["RateLimit-Policy"] = "txn.brume_ratelimit_policy",
  ["X-Brume-RateLimit-Degraded"] = "txn.brume_degraded",
}

-- Read before HAProxy gives up its rights, so that root alone may read the file. A fault here is one
-- of HAProxy's configuration: it does not start.
local function read_key()
  local file, fault = io.open(key_path, "r")
  if file == nil then error("brume.lua: no key: " .. tostring(fault)) end
  local key = file:read("l")
  file:close()
  if key == nil or not key:find("^[%w_-]+$") then error("brume.lua: no key in " .. key_path) end
  return key
end

local KEY = read_key()
if when_unjudged ~= "open" and when_unjudged ~= "closed" then
  error("brume.lua: BRUME_UNANSWERED must be open or closed")
end

-- Nothing of what the client sent goes along but method, host and path, which are Brume's to judge by.
local function call_text(txn, namespace)
  local lines = {
    "GET /v1/auth/forward/" .. namespace .. " HTTP/1.1",
    "Host: brume",
    "Connection: close",
    "X-Brume-Key: " .. KEY,
  }
  local function add(name, value)
    -- A line end within a value would begin another header.
    if value ~= nil and not tostring(value):find("%c") then lines[#lines + 1] = name .. ": " .. value end
  end
  add("X-Forwarded-For", txn.sf:src())
  add("X-Original-Method", txn.sf:method())
  add("X-Original-Host", txn.sf:req_hdr("host"))
  add("X-Original-URI", txn.sf:pathq())
  add("X-Brume-Cost", txn:get_var("txn.brume_cost"))
  add("X-Identifier", txn:get_var("txn.brume_identifier"))
  return table.concat(lines, "\r\n") .. "\r\n\r\n"
end

-- The status, the headers by their names in small letters, and the rest of a connection; nil if that
-- is no answer.
local function read_head(socket)
  local line = socket:receive("*l")
  local status = line and line:match("^HTTP/1%.%d (%d%d%d)")
  if status == nil then return nil end
  local headers = {}
  for _ = 1, HEADER_LINES_MAX do
    line = socket:receive("*l")
    if line == nil then return nil end
    line = line:gsub("\r$", "")
    if line == "" then return tonumber(status), headers end
    local name, value = line:match("^([^:%s]+):%s*(.-)%s*$")
    if name ~= nil then headers[name:lower()] = value end
  end
  return nil
end

local function read_body(socket, headers)
  local bytes = tonumber(headers["content-length"])
  if bytes == nil or bytes == 0 or bytes > BODY_BYTES_MAX then return nil end
  return socket:receive(bytes)
end

-- status, headers, body of Brume's answer; nil if there was none in time.
local function ask(txn, namespace)
  local socket = core.tcp()
  socket:settimeout(SOCKET_TIMEOUT)
  if socket:connect(CHECKS) == nil then return nil end
  local status, headers, body
  if socket:send(call_text(txn, namespace)) ~= nil then
    status, headers = read_head(socket)
    if status ~= nil and status ~= 200 then body = read_body(socket, headers) end
  end
  socket:close()
  return status, headers, body
end

-- HAProxy itself answers 503 where it reaches no Brume, and never as a problem document.
local function verdict_of(status, headers)
  if status == 200 then return "allowed" end
  if status == 429 then return "denied" end
  local is_problem = status ~= nil and (headers["content-type"] or ""):find("^application/problem%+json") ~= nil
  if status == 503 and is_problem then return "closed" end
  if status == nil or status >= 500 then return "unjudged" end
  return "fault"
end

local function remember(txn, verdict, headers)
  txn:set_var("txn.brume_verdict", verdict)
  for name, variable in pairs(SHOWN) do
    local value = headers[name:lower()]
    -- An earlier verdict on the same request may have had one.
    if value == nil then txn:unset_var(variable) else txn:set_var(variable, value) end
  end
end

local function answer(txn, status, headers, body)
  local reply = txn:reply({ status = status })
  reply:add_header("Cache-Control", "no-store")
  for name in pairs(SHOWN) do
    local value = headers[name:lower()]
    if value ~= nil then reply:add_header(name, value) end
  end
  if body ~= nil then
    reply:add_header("Content-Type", headers["content-type"])
    reply:set_body(body)
  end
  txn:done(reply)
end

local function judge(txn, namespace)
  local status, headers, body = ask(txn, namespace)
  local verdict = verdict_of(status, headers)
  if verdict == "unjudged" then headers, body = { ["x-brume-ratelimit-degraded"] = "true" }, nil end
  remember(txn, verdict, headers)
  if verdict == "denied" then return answer(txn, 429, headers, body) end
  if verdict == "closed" then return answer(txn, 503, headers, body) end
  if verdict == "unjudged" and when_unjudged == "closed" then return answer(txn, 503, headers) end
  -- A fault of this configuration, not the client's; Brume's log has the reason.
  if verdict == "fault" then return answer(txn, 500, {}) end
end

-- The application's own headers of these names give way: one answer has one verdict.
local function show(txn)
  for name, variable in pairs(SHOWN) do
    local value = txn:get_var(variable)
    if value ~= nil then txn.http:res_set_header(name, value) end
  end
end

core.register_action("brume", { "http-req" }, judge, 1)
core.register_action("brume-headers", { "http-res" }, show, 0)
