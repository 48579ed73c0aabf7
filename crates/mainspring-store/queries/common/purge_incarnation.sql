DELETE FROM incarnation WHERE number = :number AND unused_since IS NOT NULL
