
-- Gives back what was taken at the time that the word says, as far as it has not come back by itself.
local at = tonumber(ARGV[2])
&load
&refund
&seen
return 1
