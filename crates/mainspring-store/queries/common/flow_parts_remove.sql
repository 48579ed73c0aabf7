DELETE FROM flow_item_part WHERE flow = :id
