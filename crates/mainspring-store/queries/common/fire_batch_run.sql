-- Where a run of a repeated batch is now.
SELECT state, attempt, claimed_by FROM run WHERE id = :id
