-- Notes a loss, if the fence has counted fewer batches than its holder was told of. One under way has not been told of, and
-- need not be waited for. Without a fence others were faster, and nobody can say.
INSERT INTO setting (name, value)
SELECT :name, :value FROM fence WHERE incarnation = (SELECT number FROM incarnation WHERE id = :id) AND seq < :batches
ON CONFLICT (name) DO UPDATE SET value = excluded.value
