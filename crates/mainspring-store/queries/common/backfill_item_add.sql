INSERT INTO backfill_item (backfill_id, seq, trigger_id, fire_time, action, state, rerun_of)
VALUES (:id, :seq, :trigger, :fire_time, :action, 'open', :rerun_of)
