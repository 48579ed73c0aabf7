-- What was taken under a lease, now or by an earlier sending of the same message.
SELECT shard FROM shard WHERE lease = :lease
