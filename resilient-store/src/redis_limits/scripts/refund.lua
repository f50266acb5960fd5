
-- Gives back what was taken at the time that the word says, as far as it has not come back by itself.
local at = tonumber(OWN_WORD)

function windows.refund(limit)
  if at < limit.start or at >= limit.start + limit.window or limit.count == 0 then
    return
  end
  limit.count = math.max(limit.count - COST, 0)
  windows.write(limit)
end

-- No more than what would still be lacking, had nothing been taken since.
function buckets.refund(limit)
  local us, part = limit.cost_us, limit.cost_part
  local owed = math.max(limit.charge_until - now, 0)
  if is_more(us, part, owed, 0) then
    us, part = owed, 0
  end
  if not is_more(limit.us, limit.part, us, part) then
    redis.call('DEL', limit.key)
    limit.us, limit.part = 0, 0
    return
  end
  limit.us, limit.part = limit.us - us, limit.part - part
  if limit.part < 0 then
    limit.us, limit.part = limit.us - 1, limit.part + limit.parts
  end
  buckets.write(limit)
end

function logs.refund(limit)
  local entries = redis.call('ZRANGEBYSCORE', limit.key, integer(at), integer(at), 'LIMIT', 0, COST)
  for _, entry in ipairs(entries) do
    redis.call('ZREM', limit.key, entry)
    limit.used = limit.used - 1
  end
end

for place = 1, #KEYS do
  local limit = limit_at(place)
  limit.does.refund(limit)
  limit_time(limit, false)
end
return 1
