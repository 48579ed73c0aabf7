SELECT (SELECT COUNT(*) FROM job WHERE deleted_at IS NULL), (SELECT COUNT(*) FROM trigger_state), (SELECT COUNT(*) FROM run)
