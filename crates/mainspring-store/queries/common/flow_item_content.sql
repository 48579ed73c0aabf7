SELECT i.attributes, i.payload, p.bytes
FROM flow_item i LEFT JOIN flow_item_part p ON p.flow = i.flow AND p.item = i.id
WHERE i.flow = :flow AND i.id = :id
ORDER BY p.part
