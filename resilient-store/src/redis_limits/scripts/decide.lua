
-- Takes the cost from all limits if it fits them all, and if it is to be taken: the word is `take`.
local limits, does_fit, fits = {}, {}, true
for place = 1, #KEYS do
  limits[place] = limit_at(place)
  does_fit[place] = limits[place].does.fits(limits[place])
  fits = fits and does_fit[place]
end

local is_taken = fits and OWN_WORD == 'take'
local reply = { fits and 1 or 0, now }
for place, limit in ipairs(limits) do
  if is_taken then
    limit.does.take(limit)
  end
  limit_time(limit, is_taken)
  local first, second, third = limit.does.shown(limit)
  reply[#reply + 1] = { does_fit[place] and 1 or 0, first, second, third }
end
return reply
