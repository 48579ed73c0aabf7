-- Of these runs, those that this transaction has inserted.
SELECT id FROM run WHERE id = ANY ($1::uuid[]) AND xmin = pg_current_xact_id()::xid
