local fence, state = ARGV[1], ARGV[2]

local record, why = load(KEYS[1])
if why then
  return { 'unreadable', why }
end
if record then
  doubt(record)
end
if not record or record.state ~= UNCERTAIN or record.fence ~= fence then
  return { 'lost' }
end
if not state then
  redis.call('DEL', KEYS[1], KEYS[2])
  return { 'done' }
end
-- What was found out counts for as long as an answer would have.
local kept = tonumber(record.answer_until) - tonumber(record.claimed_at)
local expires_at = math.max(tonumber(record.expires_at), now + kept)
write(record, 'answer_until', integer(now + kept))
write(record, 'expires_at', integer(expires_at))
finish(record, 2)
return { 'done' }
