local owner, lease, ttl, tombstone = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local effects, scope, key, fingerprint = ARGV[5], ARGV[6], ARGV[7], ARGV[8]

local function won(record)
  return { 'won', record.fence, record.attempts, record.checkpoint or false, record.retried or '0' }
end

-- Larger than all before: than the last one while that is known, and than the time in any case, so
-- that a server that lost its data does not begin anew. It stays near the time, because no server
-- takes a million claims a second: a number far from it was written by other hands.
local function next_fence()
  local last = tonumber(redis.call('GET', KEYS[3])) or 0
  if last > 2 ^ 52 then
    last = 0
  end
  local fence = integer(math.max(last + 1, now_micros))
  redis.call('SET', KEYS[3], fence)
  return fence
end

-- Another payload, made in the same way: the first two bytes are the version.
local function contradicts(record)
  local known = record.fingerprint or ''
  return #known > 2 and #fingerprint > 2 and known ~= fingerprint
    and known:sub(1, 2) == fingerprint:sub(1, 2)
end

local old, why = load(KEYS[1])
if why then
  return { 'unreadable', why }
end
local attempts, checkpoint, retried = 1, nil, '0'
if old then
  if old.state == RUNNING and old.owner == owner then
    return won(old)
  end
  doubt(old)
  if not is_expired(old) then
    if not is_lapsed(old) or contradicts(old) then
      return shown_with_answer(old)
    end
    attempts, checkpoint = tonumber(old.attempts) + 1, old.checkpoint
    retried = old.owner == '' and '1' or '0'
  end
end

local new = {
  version = VERSION,
  scope = scope,
  key = key,
  state = RUNNING,
  fence = next_fence(),
  owner = owner,
  effects = effects,
  attempts = integer(attempts),
  fingerprint = fingerprint,
  checkpoint = checkpoint,
  retried = retried,
  claimed_at = integer(now),
  leased_until = integer(now + lease),
  answer_until = integer(now + ttl),
  expires_at = integer(now + ttl + tombstone),
}
redis.call('DEL', KEYS[1], KEYS[2])
for field, value in pairs(new) do
  redis.call('HSET', KEYS[1], field, value)
end
limit_time(new)
return won(new)
