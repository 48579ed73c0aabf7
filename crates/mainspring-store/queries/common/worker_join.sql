INSERT INTO worker (incarnation, id, name, queues, labels, place, slots, version, token, counter, node, joined_at, heard_at)
VALUES (:incarnation, :id, :name, :queues, :labels, :place, :slots, :version, :token, 0, :node, :at, :at)
