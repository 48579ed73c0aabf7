SELECT number, node, component, is_open, report FROM flow_inbox WHERE flow = :flow
ORDER BY number
