-- A bucket, by what it lacks: the time until it is full, in microseconds and a fraction of one in parts
-- that the limit says. Times with fractions are only added and compared, so nothing is rounded. Words:
-- the parts of a microsecond, the time of a token as text, that of the burst and that of the cost, each
-- as microseconds and parts, and of a refund when the bucket would be full, had nothing been taken since.

--- functions
local function is_more(us, part, than_us, than_part)
  return us > than_us or (us == than_us and part > than_part)
end

local function sum(us, part, more_us, more_part, parts)
  us, part = us + more_us, part + more_part
  if part >= parts then
    return us + 1, part - parts
  end
  return us, part
end

-- So many times a time. Exact as far as it is shorter than the longest burst: what wants more than that
-- does not fit, exact or not.
local function times(us, part, number, parts)
  part = part * number
  return us * number + math.floor(part / parts), part % parts
end

--- load
local parts_@, token_@ = tonumber($1), $2
local burst_us_@, burst_part_@ = tonumber($3), tonumber($4)
local cost_us_@, cost_part_@ = tonumber($5), tonumber($6)
local found_@ = read('HMGET', KEYS[@], 'full_at', 'part', 'token')
local us_@, part_@ = kept(found_@[1], now) - now, kept(found_@[2], 0)
if us_@ < 0 or part_@ >= parts_@ then
  us_@, part_@ = math.max(us_@, 0), 0
end
-- Other numbers than before: as many tokens are lacking, which take another time.
if found_@[3] ~= token_@ then
  local before = tonumber(found_@[3])
  if before and before > 0 then
    us_@, part_@ = math.ceil(us_@ / before * tonumber(token_@)), 0
  end
end
-- No bucket lacks more than it holds, whatever the clock of the server before this one said.
if is_more(us_@, part_@, burst_us_@, burst_part_@) then
  us_@, part_@ = burst_us_@, burst_part_@
end

--- fits
local then_us_@, then_part_@ = sum(us_@, part_@, cost_us_@, cost_part_@, parts_@)
local fits_@ = not is_more(then_us_@, then_part_@, burst_us_@, burst_part_@)

--- take
us_@, part_@ = then_us_@, then_part_@

--- write
redis.call('HSET', KEYS[@], 'full_at', now + us_@, 'part', part_@, 'token', token_@)

--- left
(us_@ + (part_@ > 0 and 1 or 0))

--- shown
us_@, part_@, 0

--- room
-- Looked for by halves, because nothing that is divided stays exact.
local room_@, too_many_@ = 0, math.max(2 * wanted, needed) + 1
while too_many_@ - room_@ > 1 do
  local middle = math.floor((room_@ + too_many_@) / 2)
  local us, part = times(cost_us_@, cost_part_@, middle, parts_@)
  us, part = sum(us_@, part_@, us, part, parts_@)
  if is_more(us, part, burst_us_@, burst_part_@) then
    too_many_@ = middle
  else
    room_@ = middle
  end
end

--- granted
cost_us_@, cost_part_@ = times(cost_us_@, cost_part_@, cost, parts_@)

--- refund
-- No more than what would still be lacking, had nothing been taken since.
local owed_@ = math.max(tonumber($7) - now, 0)
if is_more(cost_us_@, cost_part_@, owed_@, 0) then
  cost_us_@, cost_part_@ = owed_@, 0
end
if is_more(us_@, part_@, cost_us_@, cost_part_@) then
  us_@, part_@ = us_@ - cost_us_@, part_@ - cost_part_@
  if part_@ < 0 then
    us_@, part_@ = us_@ - 1, part_@ + parts_@
  end
  &write
else
  redis.call('DEL', KEYS[@])
  us_@, part_@ = 0, 0
end
