local fence, lease, checkpoint = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local record, why = load(KEYS[1])
if why then
  return { 'unreadable', why }
end
if not record or not is_held(record, fence) then
  return { 'lost' }
end
write(record, 'leased_until', integer(now + lease))
if checkpoint then
  write(record, 'checkpoint', checkpoint)
end
limit_time(record)
return { 'done' }
