DELETE FROM executor WHERE gone_at < :before LIMIT :limit
