UPDATE backfill_item SET state = :state WHERE backfill_id = :id AND seq = :seq
