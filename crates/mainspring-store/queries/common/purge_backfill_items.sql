DELETE FROM backfill_item WHERE backfill_id = :id AND seq < :below
