DELETE FROM flow_minute WHERE flow = :id
