SELECT id FROM flow_item WHERE flow = :flow AND id >= :from AND id < :until
