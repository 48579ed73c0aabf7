UPDATE flow_item_part SET item = :id WHERE flow = :flow AND item = :before
