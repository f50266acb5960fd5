-- A count in windows that begin at whole multiples of their length. A window that began later than
-- now, on another server's clock, is that of now. Words: the quota and the window.

--- load
local quota_@, window_@ = tonumber($1), tonumber($2)
local start_@ = now - now % window_@
local found_@ = read('HMGET', KEYS[@], 'at', 'count')
local count_@ = kept(found_@[2], 0)
if kept(found_@[1], start_@) < start_@ then
  count_@ = 0
end

--- fits
local fits_@ = count_@ + cost <= quota_@

--- take
count_@ = count_@ + cost

--- write
redis.call('HSET', KEYS[@], 'at', start_@, 'count', count_@)

--- left
(count_@ > 0 and start_@ + window_@ - now or 0)

--- shown
start_@, count_@, 0

--- room
local room_@ = quota_@ - count_@

--- refund
if at >= start_@ and at < start_@ + window_@ and count_@ > 0 then
  count_@ = math.max(count_@ - cost, 0)
  &write
end
