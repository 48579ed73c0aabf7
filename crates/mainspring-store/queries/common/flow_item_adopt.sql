UPDATE flow_item SET id = :id, position = :position WHERE flow = :flow AND id = :before
