DELETE FROM rollup WHERE span = :span AND at < :before
