-- Zero rows: the flow has changed since it was read.
UPDATE flow SET inboxes = inboxes + 1 WHERE id = :id AND version = :version
