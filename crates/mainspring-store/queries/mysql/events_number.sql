-- Numbers events, in their order. To be done while holding the lock of event_head.
UPDATE JSON_TABLE(:events, '$[*]' COLUMNS (place FOR ORDINALITY, id BIGINT PATH '$')) AS new
STRAIGHT_JOIN event e FORCE INDEX (PRIMARY) ON e.id = new.id
SET e.seq = :head + new.place
