SELECT seq FROM event_head WHERE one = 1
