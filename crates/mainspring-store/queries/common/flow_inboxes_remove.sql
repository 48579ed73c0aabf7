DELETE FROM flow_inbox WHERE flow = :id
