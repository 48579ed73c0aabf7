-- Locks the place in the index and not the row, which a batch of fires may count up: a shared lock that needs no more than an
-- index holds takes the index alone.
SELECT incarnation FROM fence FORCE INDEX (fence_kept) WHERE incarnation = :incarnation LOCK IN SHARE MODE
