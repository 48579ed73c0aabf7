DELETE FROM queue_change
