
-- Takes the cost from all limits if it fits them all, and if it is to be taken: the word is `take`.
&load
&fits
local fits = true
&all_fit
if fits and ARGV[2] == 'take' then
  &take
  &write
  &written
else
  &seen
end
&look
local reply = string.format('%d %d', fits and 1 or 0, now)
&told
return reply
