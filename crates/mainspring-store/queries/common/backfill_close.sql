UPDATE backfill_item SET state = 'cancelled' WHERE backfill_id = :id AND state = 'open'
