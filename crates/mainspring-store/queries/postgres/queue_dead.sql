-- How many rows of runs the server could not clear up yet, as it has counted them.
SELECT pg_stat_get_dead_tuples('run'::regclass)
