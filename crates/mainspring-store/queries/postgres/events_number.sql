-- Numbers the events that no reader has seen. To be done while holding the lock of event_head.
WITH head AS (
    SELECT seq FROM event_head WHERE one = 1
), new AS (
    SELECT id, row_number() OVER (ORDER BY id) AS place FROM event WHERE seq IS NULL ORDER BY id LIMIT 10000
), numbered AS (
    UPDATE event e SET seq = head.seq + new.place FROM new, head WHERE e.id = new.id
    RETURNING e.seq
)
UPDATE event_head SET seq = (SELECT MAX(seq) FROM numbered) WHERE one = 1 AND EXISTS (SELECT 1 FROM numbered)
