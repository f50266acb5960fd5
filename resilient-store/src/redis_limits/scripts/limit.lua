-- What is the same for limits of every kind. A key lives for as long as it says something, whatever
-- became of its time to live, and for no more than a second longer: what is left is rounded.

--- all_fit
fits = fits and fits_@

--- least_room
room = math.min(room, room_@)

--- enough
fits_@ = room_@ >= needed

--- written
redis.call('PEXPIRE', KEYS[@], math.ceil(&left / 1000))

--- seen
local left_@, ttl_@ = math.ceil(&left / 1000), redis.call('PTTL', KEYS[@])
if ttl_@ == -1 or ttl_@ > left_@ + 1000 then
  redis.call('PEXPIRE', KEYS[@], left_@)
end

--- told
reply = reply .. string.format(' %d %d %d %d', fits_@ and 1 or 0, &shown)
