SELECT attributes, payload FROM flow_item WHERE flow = :flow AND id = :id
