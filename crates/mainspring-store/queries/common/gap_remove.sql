-- Takes back a record of instants that are still to come.
DELETE FROM fire_gap WHERE seq = :seq AND trigger_id = :trigger
