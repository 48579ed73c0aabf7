DELETE FROM worker_token WHERE name = :name
