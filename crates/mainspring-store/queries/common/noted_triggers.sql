SELECT seq, trigger_id FROM trigger_change ORDER BY seq LIMIT :limit
