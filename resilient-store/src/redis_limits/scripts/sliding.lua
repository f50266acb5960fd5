-- Counts in windows that begin at whole multiples of their length: that of the window of now, and
-- that of the one before. A window that began later than now, on another server's clock, is that of
-- now. Words: the quota, the window, and a tick.

--- load
local quota_@, window_@, tick_@ = tonumber($1), tonumber($2), tonumber($3)
local start_@ = now - now % window_@
local found_@ = read('HMGET', KEYS[@], 'at', 'count', 'before')
local at_@ = kept(found_@[1], start_@)
local count_@, before_@ = kept(found_@[2], 0), kept(found_@[3], 0)
if at_@ < start_@ then
  before_@ = at_@ >= start_@ - window_@ and count_@ or 0
  count_@ = 0
end

-- The window before counts as far as it overlaps the last window. The division is multiplied out, in
-- ticks that keep the products below 2^53 and are rounded so that never more fits.
local overlap_@ = math.ceil((start_@ + window_@ - now) / tick_@)
local ticks_@ = math.floor(window_@ / tick_@)

--- fits
local rest_@ = quota_@ - count_@ - cost
local fits_@ = rest_@ >= 0 and before_@ * overlap_@ <= rest_@ * ticks_@

--- take
count_@ = count_@ + cost

--- write
redis.call('HSET', KEYS[@], 'at', start_@, 'count', count_@, 'before', before_@)

--- left
(count_@ > 0 and start_@ + 2 * window_@ - now or before_@ > 0 and start_@ + window_@ - now or 0)

--- shown
start_@, count_@, before_@

--- room
local room_@ = quota_@ - count_@ - math.ceil(before_@ * overlap_@ / ticks_@)

--- refund
if at >= start_@ and at < start_@ + window_@ and count_@ > 0 then
  count_@ = math.max(count_@ - cost, 0)
  &write
end
