local record, why = load(KEYS[1])
if why then
  return { 'unreadable', why }
end
if not record or is_expired(record) then
  return { 'none' }
end
return shown_with_answer(record)
