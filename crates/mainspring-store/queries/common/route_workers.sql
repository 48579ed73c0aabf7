-- The workers that live, for routing.
SELECT name, queues, labels, slots, heard_at FROM worker
