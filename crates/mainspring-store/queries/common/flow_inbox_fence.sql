-- Zero rows: the inbox is closed, or it has had these items before.
UPDATE flow_inbox SET last_item = :last WHERE flow = :flow AND number = :number AND is_open = 1 AND last_item < :last
