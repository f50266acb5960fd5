-- What both scripts know about limits. All that is known of a limit is at one key, all keys of one
-- subject are in one slot, and all times are whole microseconds: every number is below 2^53, where
-- Lua's doubles are exact.
--
-- ARGV: the cost; a word of each script's own; then for each limit eight words, named in `limit_at`.
local COST, OWN_WORD = tonumber(ARGV[1]), ARGV[2]
local WORDS = 8

-- A key may live for so many milliseconds more than it must: what is left is rounded.
local SLACK = 1000

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

-- Written out, because Lua would write a large one as 1.7e+15.
local function integer(number)
  return string.format('%.0f', number)
end

-- A number that was kept; the other one, if it is not there or other hands wrote something else.
local function kept(text, other)
  local number = tonumber(text)
  if number and number >= 0 and number < 2 ^ 53 and number % 1 == 0 then
    return number
  end
  return other
end

-- What a command that only reads finds; nothing, where a key holds another kind of value. No store of
-- limits wrote that, and left alone it would be in the way for ever.
local function read(command, key, ...)
  local found = redis.pcall(command, key, ...)
  if type(found) == 'table' and found.err then
    redis.call('DEL', key)
    return redis.call(command, key, ...)
  end
  return found
end

-- Counts in windows that begin at whole multiples of their length: that of the window of now, and that
-- of the one before. A window that began later than now, on another server's clock, is that of now.
local windows = {}

function windows.load(limit)
  local found = read('HMGET', limit.key, 'at', 'count', 'before')
  limit.start = now - now % limit.window
  local at, count = kept(found[1], limit.start), kept(found[2], 0)
  if at >= limit.start then
    limit.count, limit.before = count, kept(found[3], 0)
  elseif at >= limit.start - limit.window then
    limit.count, limit.before = 0, count
  else
    limit.count, limit.before = 0, 0
  end
  if limit.kind == 'fixed' then
    limit.before = 0
  end
end

-- The window before counts as far as it overlaps the last window. The division is multiplied out, in
-- ticks that keep the products below 2^53 and are rounded so that never more fits.
function windows.fits(limit)
  local room = limit.quota - limit.count - COST
  local overlap = math.ceil((limit.start + limit.window - now) / limit.tick)
  return room >= 0 and limit.before * overlap <= room * math.floor(limit.window / limit.tick)
end

function windows.write(limit)
  redis.call('HSET', limit.key, 'at', integer(limit.start), 'count', integer(limit.count),
    'before', integer(limit.before))
end

function windows.take(limit)
  limit.count = limit.count + COST
  windows.write(limit)
end

function windows.left(limit)
  local rest = limit.start + limit.window - now
  if limit.kind == 'sliding' and limit.count > 0 then
    return rest + limit.window
  end
  return (limit.count + limit.before > 0) and rest or 0
end

function windows.shown(limit)
  return limit.start, limit.count, limit.before
end

-- Buckets, by what they lack: the time until they are full, in microseconds and a fraction of one in
-- parts that the limit says. Times with fractions are only added and compared, so nothing is rounded.
local buckets = {}

local function is_more(us, part, than_us, than_part)
  return us > than_us or (us == than_us and part > than_part)
end

local function plus_cost(limit)
  local us, part = limit.us + limit.cost_us, limit.part + limit.cost_part
  if part >= limit.parts then
    return us + 1, part - limit.parts
  end
  return us, part
end

function buckets.load(limit)
  local found = read('HMGET', limit.key, 'full_at', 'part', 'token')
  limit.us, limit.part = kept(found[1], now) - now, kept(found[2], 0)
  if limit.us < 0 or limit.part >= limit.parts then
    limit.us, limit.part = math.max(limit.us, 0), 0
  end
  -- Other numbers than before: as many tokens are lacking, which take another time.
  local token = tonumber(found[3])
  if token and token > 0 and found[3] ~= limit.token then
    limit.us, limit.part = math.ceil(limit.us / token * tonumber(limit.token)), 0
  end
  -- No bucket lacks more than it holds, whatever the clock of the server before this one said.
  if is_more(limit.us, limit.part, limit.burst_us, limit.burst_part) then
    limit.us, limit.part = limit.burst_us, limit.burst_part
  end
end

function buckets.fits(limit)
  local us, part = plus_cost(limit)
  return not is_more(us, part, limit.burst_us, limit.burst_part)
end

function buckets.write(limit)
  redis.call('HSET', limit.key, 'full_at', integer(now + limit.us), 'part', integer(limit.part),
    'token', limit.token)
end

function buckets.take(limit)
  limit.us, limit.part = plus_cost(limit)
  buckets.write(limit)
end

function buckets.left(limit)
  return limit.us + (limit.part > 0 and 1 or 0)
end

function buckets.shown(limit)
  return limit.us, limit.part, 0
end

-- Logs: one entry for each unit of cost, by when it came.
local logs = {}

function logs.load(limit)
  read('ZCARD', limit.key)
  redis.call('ZREMRANGEBYSCORE', limit.key, '-inf', integer(now - limit.window))
  limit.used = redis.call('ZCARD', limit.key)
end

-- When the entry of this rank ends.
local function time_to_end(limit, rank)
  local entry = redis.call('ZRANGE', limit.key, rank, rank, 'WITHSCORES')
  local at = kept(entry[2], now)
  return math.min(at, now) + limit.window - now
end

function logs.fits(limit)
  return limit.used + COST <= limit.quota
end

function logs.take(limit)
  local same_time = redis.call('ZCOUNT', limit.key, integer(now), integer(now))
  for unit = same_time + 1, same_time + COST do
    redis.call('ZADD', limit.key, integer(now), integer(now) .. ':' .. unit)
  end
  limit.used = limit.used + COST
end

function logs.left(limit)
  return limit.used > 0 and time_to_end(limit, -1) or 0
end

function logs.shown(limit)
  local surplus = limit.used + COST - limit.quota
  local wait = limit.window
  if surplus <= limit.used then
    wait = time_to_end(limit, math.max(surplus, 1) - 1)
  end
  return limit.used, wait, logs.left(limit)
end

local kinds = { fixed = windows, sliding = windows, bucket = buckets, log = logs }

-- The limit whose key is at this place, as it stands.
local function limit_at(place)
  local first = 2 + (place - 1) * WORDS
  local word = function(index) return ARGV[first + index] end
  local number = function(index) return tonumber(word(index)) end
  local limit = { key = KEYS[place], kind = word(1) }
  if limit.kind == 'bucket' then
    limit.parts, limit.token = number(2), word(3)
    limit.burst_us, limit.burst_part = number(4), number(5)
    limit.cost_us, limit.cost_part = number(6), number(7)
    limit.charge_until = number(8)
  else
    limit.quota, limit.window, limit.tick = number(2), number(3), number(4)
  end
  limit.does = kinds[limit.kind]
  limit.does.load(limit)
  return limit
end

-- Lets the key live for as long as it says something, whatever became of its time to live.
local function limit_time(limit, was_written)
  local left = math.ceil(limit.does.left(limit) / 1000)
  if not was_written then
    local ttl = redis.call('PTTL', limit.key)
    if ttl == -2 or (ttl >= 0 and ttl <= left + SLACK) then
      return
    end
  end
  redis.call('PEXPIRE', limit.key, integer(left))
end
