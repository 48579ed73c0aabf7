-- Notes that a run has missed its deadline. Zero rows: that is known.
INSERT IGNORE INTO deadline_miss (run_id) VALUES (:run)
