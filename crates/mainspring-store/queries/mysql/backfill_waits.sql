-- Items of a backfill, by place from one through another, that wait for others which have not ended well.
SELECT n.seq, a.state
FROM backfill_need n FORCE INDEX (PRIMARY)
STRAIGHT_JOIN backfill_item a FORCE INDEX (PRIMARY) ON a.backfill_id = n.above_id AND a.seq = n.above_seq
WHERE n.backfill_id = :id AND n.seq >= :first AND n.seq <= :last AND a.state <> 'succeeded' AND a.state <> 'skipped'
