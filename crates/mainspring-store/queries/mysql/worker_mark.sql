-- Workers that a node hears from now on, or no more: with what its own count has added.
UPDATE JSON_TABLE(:workers, '$[*]' COLUMNS (id CHAR(32) PATH '$')) AS marked
STRAIGHT_JOIN worker w ON w.id = UNHEX(marked.id)
SET w.heard = :heard, w.counter = w.counter + :more, w.heard_at = :at
WHERE w.node = :node AND w.heard <> :heard
