--[[
Asks a service of Lookalike whether a message is nearly the same as a known one, such as known spam.

Mail never waits for it longer than `timeout`, and is never refused for want of an answer: what cannot be asked gets no symbol. After some
failures in a row nobody is asked for `pause` seconds; one is not enough, because a message that takes long to read could else be sent
ahead of others to get them through. See docs/clients.md.
]] --

local rspamd_http = require "rspamd_http"
local rspamd_logger = require "rspamd_logger"
local rspamd_util = require "rspamd_util"
local ucl = require "ucl"

local N = "lookalike"
local CHECK = "LOOKALIKE_CHECK"

local settings = {
  -- The address of the service, with the path below which a proxy serves it.
  url = nil,
  token = nil,
  -- Seconds.
  timeout = 1.0,
  pause = 10.0,
  -- Bytes of a message; larger ones are not asked about.
  max_size = 2000000,
  -- What a message gets that is like those of a set of the service; the score counts in full for an exact copy.
  sets = {
    spam = { symbol = "LOOKALIKE_SPAM", score = 7.0, description = "Nearly the same as known spam" },
  },
}

-- Failures in a row after which nobody is asked for a while.
local ENOUGH = 3
-- What is wrong with a message, not with the service.
local OF_MESSAGE = { [400] = true, [408] = true, [413] = true, [415] = true, [422] = true }

local failures = 0
-- Until when nobody is asked.
local paused_until = 0

local function failed(task, reason)
  failures = failures + 1
  rspamd_logger.warnx(task, "%s: no answer of %s (%s)", N, settings.url, reason)
  if failures >= ENOUGH then
    failures = 0
    paused_until = rspamd_util.get_time() + settings.pause
    rspamd_logger.warnx(task, "%s: nobody is asked for %s seconds", N, settings.pause)
  end
end

-- The set that the message is like, how much, and which document of it; nothing if it is like none.
local function best_of(body)
  local parser = ucl.parser()
  if not parser:parse_string(tostring(body)) then return nil, "no JSON" end
  local answer = parser:get_object()
  if type(answer) ~= "table" or type(answer.verdict) ~= "string" then return nil, "not of a service of Lookalike" end
  local set, matches = answer.set, answer.matches
  if type(set) ~= "table" or type(set.name) ~= "string" or type(set.similarity) ~= "number" then return nil end
  local first = type(matches) == "table" and type(matches[1]) == "table" and matches[1].id
  return { set = set.name, similarity = math.min(1, math.max(0, set.similarity)), id = tostring(first or "") }
end

local function check(task)
  local size = task:get_size()
  if size == 0 or size > settings.max_size or rspamd_util.get_time() < paused_until then return end

  local function answered(err, code, body)
    if err then return failed(task, err) end
    if OF_MESSAGE[code] then return end
    if code ~= 200 then return failed(task, "status " .. tostring(code)) end
    local best, wrong = best_of(body)
    if wrong then return failed(task, wrong) end
    failures = 0
    local given = best and settings.sets[best.set]
    if given then
      task:insert_result(given.symbol, best.similarity, string.format("%.2f", best.similarity), best.id)
    end
  end

  local sent = rspamd_http.request({
    task = task,
    url = settings.url .. "/api/check?limit=1",
    method = "post",
    mime_type = "message/rfc822",
    headers = settings.token and { Authorization = "Bearer " .. settings.token } or {},
    body = task:get_content(),
    timeout = settings.timeout,
    max_size = 1000000,
    callback = answered,
  })
  if not sent then failed(task, "it cannot be asked") end
end

local given = rspamd_config:get_all_opt(N)
if not given or not given.url then
  rspamd_logger.infox(rspamd_config, "%s: no url is set, so nobody is asked", N)
  return
end
for key, value in pairs(given) do
  if key ~= "sets" then settings[key] = value end
end
for name, set in pairs(given.sets or {}) do settings.sets[name] = set end
settings.url = settings.url:gsub("/+$", "")

local parent = rspamd_config:register_symbol({ name = CHECK, type = "callback", callback = check, flags = "empty,nostat" })
for _, set in pairs(settings.sets) do
  rspamd_config:register_symbol({ name = set.symbol, type = "virtual", parent = parent })
  rspamd_config:set_metric_symbol({ name = set.symbol, score = set.score, description = set.description, group = N })
end
