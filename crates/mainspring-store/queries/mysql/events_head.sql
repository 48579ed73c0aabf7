UPDATE event_head SET seq = seq + :count WHERE one = 1
