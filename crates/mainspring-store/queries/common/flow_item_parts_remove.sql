DELETE FROM flow_item_part WHERE flow = :flow AND item = :item
