-- Whether a batch was the last one that advanced a trigger.
SELECT 1 FROM trigger_state WHERE id = :id AND batch = :batch
