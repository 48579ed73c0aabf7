DELETE FROM cancel_change
