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
finish(record, 2)
return { 'done' }
