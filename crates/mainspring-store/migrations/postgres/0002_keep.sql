-- Why a trigger is in the state `error`.
ALTER TABLE job_trigger ADD COLUMN IF NOT EXISTS error TEXT;

-- Small tables that are written all the time: an outbox whose rows live for milliseconds, the events until they are read
-- and numbered, rows that every batch or renewal counts up. By the server's rule (a fifth of the table) they would be
-- looked at late, and readers would walk over thousands of dead rows; a thousand dead rows are little work by themselves,
-- and without the delay between pages that work does not hang behind the load.
ALTER TABLE trigger_change SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0);
ALTER TABLE cancel_change SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0);
ALTER TABLE event_head SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
ALTER TABLE job_gate SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_cost_delay = 0);
ALTER TABLE fire_batch SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
ALTER TABLE node SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
ALTER TABLE event SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
