INSERT INTO job (namespace, name, shard, version, "change", paused, created_at, updated_at)
VALUES (:namespace, :name, :shard, 1, 1, :paused, :at, :at)
RETURNING id
