-- What the server has counted for this database: commits, statements, and who else is there.
SELECT
    (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),
    (SELECT CAST(COALESCE(sum(calls), 0) AS BIGINT)
        FROM public.pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
        WHERE d.datname = current_database()),
    (SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid())
