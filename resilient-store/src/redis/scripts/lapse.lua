local fence = ARGV[1]

local record, why = load(KEYS[1])
if why then
  return { 'unreadable', why }
end
if not record or not is_held(record, fence) then
  return { 'lost' }
end
give_up(record)
return { 'done' }
