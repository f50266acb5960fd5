-- All that is known of a limit is at one key, all keys of one subject are in one slot, and all times
-- are whole microseconds: every number is below 2^53, where Lua's doubles are exact. Redis writes the
-- numbers that it is called with in full.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- A number that was kept; the other one, if it is not there or other hands wrote something else.
local function kept(text, other)
  local number = tonumber(text)
  if number and number >= 0 and number < 9007199254740992 and number % 1 == 0 then
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

local cost = tonumber(ARGV[1])
