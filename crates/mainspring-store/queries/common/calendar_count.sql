SELECT COUNT(*) FROM calendar WHERE namespace = :namespace
