-- Nothing that they have executed is kept.
DELETE FROM executor WHERE number IN (SELECT number FROM executor WHERE gone_at < :before LIMIT :limit)
