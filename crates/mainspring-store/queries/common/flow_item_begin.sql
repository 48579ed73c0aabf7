-- Of a payload in parts, the first part alone is looked at.
SELECT i.attributes, SUBSTR(i.payload, 1, 1024), SUBSTR(p.bytes, 1, 1024)
FROM flow_item i LEFT JOIN flow_item_part p ON p.flow = i.flow AND p.item = i.id AND p.part = 0
WHERE i.flow = :flow AND i.id = :id
