local owner = ARGV[1]

local record, why = load(KEYS[1])
if why then
  return { 'unreadable', why }
end
if not record or record.owner ~= owner or not is_held(record, record.fence) then
  return { 'lost' }
end
if record.attempts == '1' then
  redis.call('DEL', KEYS[1], KEYS[2])
else
  give_up(record)
end
return { 'done' }
