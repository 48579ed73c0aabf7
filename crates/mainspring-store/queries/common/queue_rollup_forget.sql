DELETE FROM queue_rollup WHERE span = :span AND at < :before
