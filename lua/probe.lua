-- Does what a check may do, so that whoever is answered can count there: runs a script, and writes. Leaves
-- nothing.
--
-- KEYS   one key that nothing else has
-- ARGV   ttl    ms, by which it would end if it were left
-- Reply  1
-- Cost   O(1)

redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
redis.call('DEL', KEYS[1])
return 1
