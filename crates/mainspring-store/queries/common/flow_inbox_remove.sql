DELETE FROM flow_inbox WHERE flow = :flow AND number = :number
