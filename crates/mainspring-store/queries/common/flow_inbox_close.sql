UPDATE flow_inbox SET is_open = 0 WHERE flow = :flow AND number = :number
