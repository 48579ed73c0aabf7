-- A repeat after an answer that was lost changes nothing.
INSERT INTO flow_item_part (flow, item, part, bytes)
VALUES (:flow, :item, :part, :bytes)
ON CONFLICT (flow, item, part) DO UPDATE SET bytes = excluded.bytes
