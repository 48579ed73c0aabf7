-- What the worker has claimed last.
DELETE FROM fire_batch WHERE incarnation = :incarnation
