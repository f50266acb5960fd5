-- What all scripts know about a record: a hash at one key, and its answer at another that expires by
-- itself. A number is only ever compared below 2^53, where Lua's doubles are exact.
local RUNNING, COMPLETED, BODY_DROPPED, UNCERTAIN = '0', '1', '2', '3'
local VERSION = '1'
local NUMBERS = {
  'state', 'fence', 'effects', 'attempts', 'claimed_at', 'leased_until', 'answer_until', 'expires_at'
}

-- Written out, because Lua would write a large one as 1.7e+15.
local function integer(number)
  return string.format('%.0f', number)
end

local time = redis.call('TIME')
local now_micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(now_micros / 1000)

-- The record at a key, nil if there is none; or nil and why it cannot be read.
local function load(key)
  local flat = redis.call('HGETALL', key)
  if #flat == 0 then
    return nil
  end
  local record = {}
  for at = 1, #flat, 2 do
    record[flat[at]] = flat[at + 1]
  end
  if record.version ~= VERSION then
    return nil, 'its version is ' .. tostring(record.version) .. ', not ' .. VERSION
  end
  for _, field in ipairs(NUMBERS) do
    if not tonumber(record[field]) then
      return nil, 'its field `' .. field .. '` is no number'
    end
  end
  if tonumber(record.state) > 3 then
    record.state = UNCERTAIN
  end
  return record
end

local function may_repeat(record)
  return tonumber(record.effects) < 2
end

local function is_lapsed(record)
  return record.state == RUNNING and tonumber(record.leased_until) <= now
end

-- A run without an end counts as if it had ended with its lease.
local function counts_until(record)
  local last = tonumber(record.expires_at)
  if record.state == RUNNING then
    return math.max(last, tonumber(record.leased_until) + last - tonumber(record.claimed_at))
  end
  return last
end

local function is_expired(record)
  local is_final = record.state == COMPLETED or record.state == BODY_DROPPED
  return (is_final or (is_lapsed(record) and may_repeat(record))) and counts_until(record) <= now
end

local function is_held(record, fence)
  return record.fence == fence and (record.state == RUNNING or record.state == UNCERTAIN)
end

local function write(record, field, value)
  record[field] = value
  redis.call('HSET', KEYS[1], field, value)
end

-- Lets the server delete what counts for nothing any more, and nothing else: a run whose effects
-- cannot be repeated stays until it ends or is settled.
local function limit_time(record)
  local is_running = record.state == RUNNING
  if record.state == UNCERTAIN or (is_running and not may_repeat(record)) then
    redis.call('PERSIST', KEYS[1])
    return
  end
  redis.call('PEXPIREAT', KEYS[1], integer(counts_until(record)))
end

-- Nobody's from now on: it failed, and did not merely fall silent.
local function give_up(record)
  write(record, 'leased_until', integer(now))
  write(record, 'owner', '')
  limit_time(record)
end

-- A lapsed run that may not be repeated is one of which nobody knows.
local function doubt(record)
  if is_lapsed(record) and not may_repeat(record) then
    write(record, 'state', UNCERTAIN)
    limit_time(record)
  end
end

-- ARGV from `first` on: the state, the answer, and what was made, if that is said. What is kept is
-- reckoned from now on, unless nobody knows.
local function finish(record, first)
  write(record, 'state', ARGV[first])
  if record.state ~= UNCERTAIN then
    local late = now - tonumber(record.claimed_at)
    write(record, 'answer_until', integer(tonumber(record.answer_until) + late))
    write(record, 'expires_at', integer(tonumber(record.expires_at) + late))
    redis.call('HDEL', KEYS[1], 'resource_kind', 'resource_id')
    if ARGV[first + 2] then
      redis.call('HSET', KEYS[1], 'resource_kind', ARGV[first + 2], 'resource_id', ARGV[first + 3])
    end
  end
  local left = tonumber(record.answer_until) - now
  if record.state == COMPLETED and left > 0 then
    redis.call('SET', KEYS[2], ARGV[first + 1], 'PX', integer(left))
  end
  limit_time(record)
end

local function shown(record, answer)
  local reply = { 'record', integer(now), answer }
  for field, value in pairs(record) do
    reply[#reply + 1] = field
    reply[#reply + 1] = value
  end
  return reply
end

local function shown_with_answer(record)
  return shown(record, record.state == COMPLETED and redis.call('GET', KEYS[2]))
end

