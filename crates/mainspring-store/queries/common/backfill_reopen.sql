UPDATE backfill_item SET state = 'open' WHERE backfill_id = :id AND (state = 'failed' OR state = 'cancelled')
