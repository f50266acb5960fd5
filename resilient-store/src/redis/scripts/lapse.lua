local fence = ARGV[1]

local record, why = load(KEYS[1])
if why then
  return { 'unreadable', why }
end
if not record or not is_held(record, fence) then
  return { 'lost' }
end
write(record, 'leased_until', integer(now))
-- Nobody's: it failed, and did not merely fall silent.
write(record, 'owner', '')
limit_time(record)
return { 'done' }
