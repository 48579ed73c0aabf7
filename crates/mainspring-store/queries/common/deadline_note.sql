-- Notes that a run has missed its deadline. Zero rows: that is known.
INSERT INTO deadline_miss (run_id) VALUES (:run) ON CONFLICT (run_id) DO NOTHING
