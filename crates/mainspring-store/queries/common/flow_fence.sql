-- Zero rows: the flow has another owner; stop, do not retry.
UPDATE flow SET written = written + 1 WHERE id = :id AND epoch = :epoch
