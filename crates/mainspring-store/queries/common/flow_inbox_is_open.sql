SELECT 1 FROM flow_inbox WHERE flow = :flow AND number = :number AND is_open = 1
