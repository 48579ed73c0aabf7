-- Waits for what is being written into them; what is to be written afterwards is refused.
UPDATE flow_inbox SET is_open = 0 WHERE flow = :flow AND component = :component
