
-- Takes as much as the word says from all limits, but no more than half of what is left of one, unless
-- the request that waits needs it: the cost. The time a bucket is told is that of one token.
local needed, wanted = cost, tonumber(ARGV[2])
&load
&room
local room = math.huge
&least_room
cost = 0
if room >= needed then
  cost = math.max(needed, math.min(wanted, math.floor(room / 2)))
end
&granted
&fits
if cost > 0 then
  &take
  &write
  &written
else
  &seen
end
&enough
local reply = string.format('%d %d', cost, now)
&told
return reply
