UPDATE flow_item SET attributes = :attributes, payload = :payload WHERE flow = :flow AND id = :id
