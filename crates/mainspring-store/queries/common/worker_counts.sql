SELECT id, counter FROM worker
