DELETE FROM flow_item WHERE flow = :id
