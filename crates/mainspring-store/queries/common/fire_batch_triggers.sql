-- Of these triggers, those that no batch has advanced since this one.
SELECT id FROM trigger_state WHERE id IN (SELECT value FROM json_each(:triggers)) AND batch = :batch
