-- Which database answers, its clock, and the least version that nodes may have. The time line is that of the log being
-- written, which changes when a standby is promoted; the one in the control file changes with the next checkpoint only.
SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' ||
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), clock_ms(),
    (SELECT value FROM setting WHERE name = 'least_version')
