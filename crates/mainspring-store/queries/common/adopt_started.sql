UPDATE incarnation SET started_at = :at WHERE number = :incarnation
