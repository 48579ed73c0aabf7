SELECT MIN(not_before) FROM run WHERE state = 'scheduled'
