INSERT INTO flow_inbox (flow, number, node, component, is_open, last_item, report)
VALUES (:flow, :number, :node, :component, 1, :last, '')
