INSERT INTO backfill_need (backfill_id, seq, above_id, above_seq) VALUES (:id, :seq, :above, :above_seq)
