-- Its shards wait in place of a run, which is locked. No worker claims it: it starts with them.
UPDATE run SET state = 'waiting', claimed_at = :at, shard_total = :total, expires_at = NULL WHERE id = :id AND state = 'queued'
