local fence = ARGV[1]

local record, why = load(KEYS[1])
if why then
  return { 'unreadable', why }
end
if not record or record.fence ~= fence then
  return { 'lost' }
end
-- A final one under this fence was completed before, and the answer to that was lost.
if is_held(record, fence) then
  finish(record, 2)
end
return { 'done' }
