UPDATE flow_inbox SET report = :report WHERE flow = :flow AND number = :number
