-- Takes as much as was asked for from all limits, but no more than half of what is left of one, unless
-- the request that waits needs it. The word says so: what is needed, a space, what is wanted. The time a
-- bucket is told is that of one token.
local needed, wanted = OWN_WORD:match('^(%d+) (%d+)$')
needed, wanted = tonumber(needed), tonumber(wanted)

function windows.room(limit)
  local overlap = math.ceil((limit.start + limit.window - now) / limit.tick)
  local weighed = math.ceil(limit.before * overlap / math.floor(limit.window / limit.tick))
  return limit.quota - limit.count - weighed
end

-- The time of so many tokens. Exact as far as it is shorter than the longest burst: what wants more
-- than that does not fit, exact or not.
local function time_of(limit, tokens)
  local part = limit.token_part * tokens
  local us = limit.token_us * tokens + math.floor(part / limit.parts)
  return us, part % limit.parts
end

local function fits_tokens(limit, tokens)
  limit.cost_us, limit.cost_part = time_of(limit, tokens)
  return buckets.fits(limit)
end

-- Looked for by halves, because nothing that is divided stays exact.
function buckets.room(limit)
  limit.token_us, limit.token_part = limit.cost_us, limit.cost_part
  local fits, fits_not = 0, math.max(2 * wanted, needed) + 1
  while fits_not - fits > 1 do
    local middle = math.floor((fits + fits_not) / 2)
    if fits_tokens(limit, middle) then
      fits = middle
    else
      fits_not = middle
    end
  end
  return fits
end

local limits, rooms, room = {}, {}, math.huge
for place = 1, #KEYS do
  local limit = limit_at(place)
  limits[place], rooms[place] = limit, limit.does.room(limit)
  room = math.min(room, rooms[place])
end

local granted = 0
if room >= needed then
  granted = math.max(needed, math.min(wanted, math.floor(room / 2)))
end

COST = granted
local reply = { granted, now }
for place, limit in ipairs(limits) do
  if granted > 0 then
    if limit.kind == 'bucket' then
      limit.cost_us, limit.cost_part = time_of(limit, granted)
    end
    limit.does.take(limit)
  end
  limit_time(limit, granted > 0)
  local first, second, third = limit.does.shown(limit)
  reply[#reply + 1] = { rooms[place] >= needed and 1 or 0, first, second, third }
end
return reply
