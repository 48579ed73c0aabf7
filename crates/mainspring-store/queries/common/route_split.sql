-- Its shards wait in place of a run, which is locked.
UPDATE run SET state = 'waiting', shard_total = :total, expires_at = NULL WHERE id = :id AND state = 'queued'
