SELECT 1 FROM flow_inbox WHERE last_item >= :last AND flow = :flow AND number = :number
