DELETE FROM backfill WHERE id = :id
