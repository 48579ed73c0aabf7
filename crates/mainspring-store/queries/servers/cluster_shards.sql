SELECT s.shard, i.id, s.lease, s.epoch
FROM shard s
JOIN incarnation i ON i.number = s.owner
