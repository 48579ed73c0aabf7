-- The backfill that ended first, if that was before an instant, with the place of its first item.
SELECT b.id, (SELECT MIN(i.seq) FROM backfill_item i WHERE i.backfill_id = b.id)
FROM backfill b
WHERE b.ended_at < :before
ORDER BY b.ended_at, b.id
LIMIT 1
