-- Zero rows: it took so long that another node has sent it again, or the webhook is gone.
UPDATE webhook_delivery SET state = :state, next_at = :next_at, status = :status, error = :error, ended_at = :ended_at
WHERE id = :id AND attempts = :attempts AND state = 'pending'
