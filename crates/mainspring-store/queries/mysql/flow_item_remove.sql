-- Parts go with their item, in the same statement.
DELETE i, p
FROM flow_item i LEFT JOIN flow_item_part p ON p.flow = i.flow AND p.item = i.id
WHERE i.flow = :flow AND i.id = :id
