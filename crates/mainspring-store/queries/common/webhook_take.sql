-- Zero rows: another node has it.
UPDATE webhook_delivery SET attempts = attempts + 1, next_at = :until
WHERE id = :id AND attempts = :attempts AND state = 'pending'
