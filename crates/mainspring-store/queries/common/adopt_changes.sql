-- For embedded stores: the process that begins has read no trigger yet.
DELETE FROM trigger_change
