-- What a batch has done is told in one row. To compress it took longer than anything else with a name (8 % of the database's time at load),
-- and saved 31 bytes a fire.
ALTER TABLE event ALTER COLUMN payload SET STORAGE EXTERNAL;
