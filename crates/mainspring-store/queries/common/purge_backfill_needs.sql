DELETE FROM backfill_need WHERE backfill_id = :id AND seq < :below
