-- How many transactions have changed something. The mark beside the database says how many of them were acknowledged.
CREATE TABLE high_water (id INTEGER PRIMARY KEY CHECK (id = 1), commits INTEGER NOT NULL) STRICT;
INSERT INTO high_water (id, commits) VALUES (1, 0);
