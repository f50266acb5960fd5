-- Any number of keys, each of a record; without their answers.
local replies = {}
for at, key in ipairs(KEYS) do
  local is_hash = redis.call('TYPE', key).ok == 'hash'
  local record, why
  if is_hash then
    record, why = load(key)
  end
  if why then
    replies[at] = { 'unreadable', why }
  elseif not record or is_expired(record) then
    replies[at] = { 'none' }
  else
    replies[at] = shown(record, false)
  end
end
return replies
