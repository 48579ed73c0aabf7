-- Also right when every event has been purged.
SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0)
