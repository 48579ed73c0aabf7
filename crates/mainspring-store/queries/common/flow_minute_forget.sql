DELETE FROM flow_minute WHERE flow = :flow AND at < :before
