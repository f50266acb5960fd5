-- A log: one entry for each unit of cost, by when it came. Words: the quota and the window.

--- functions
-- How long until the entry of this rank ends.
local function time_to_end(key, rank, window)
  local entry = redis.call('ZRANGE', key, rank, rank, 'WITHSCORES')
  return kept(entry[2], now) + window - now
end

local function add(key, units)
  local same_time = redis.call('ZCOUNT', key, now, now)
  for unit = same_time + 1, same_time + units do
    redis.call('ZADD', key, now, string.format('%.0f:%d', now, unit))
  end
end

--- load
local quota_@, window_@ = tonumber($1), tonumber($2)
read('ZCARD', KEYS[@])
redis.call('ZREMRANGEBYSCORE', KEYS[@], '-inf', now - window_@)
-- What came later than now, by another server's clock, came now: or it would count for ever while
-- others keep the log alive.
local ahead_@ = redis.call('ZREMRANGEBYSCORE', KEYS[@], string.format('(%.0f', now), 'inf')
if ahead_@ > 0 then
  add(KEYS[@], math.min(ahead_@, quota_@))
end
local used_@ = redis.call('ZCARD', KEYS[@])

--- fits
local fits_@ = used_@ + cost <= quota_@

--- take
used_@ = used_@ + cost

--- write
add(KEYS[@], cost)

--- left
(used_@ > 0 and time_to_end(KEYS[@], -1, window_@) or 0)

--- look
local surplus_@, wait_@ = used_@ + cost - quota_@, window_@
if surplus_@ <= used_@ then
  wait_@ = time_to_end(KEYS[@], math.max(surplus_@, 1) - 1, window_@)
end

--- shown
used_@, wait_@, &left

--- refund
local entries_@ = redis.call('ZRANGEBYSCORE', KEYS[@], at, at, 'LIMIT', 0, cost)
for _, entry in ipairs(entries_@) do
  redis.call('ZREM', KEYS[@], entry)
  used_@ = used_@ - 1
end
