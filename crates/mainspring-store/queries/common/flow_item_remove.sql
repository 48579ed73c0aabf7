DELETE FROM flow_item WHERE flow = :flow AND id = :id
