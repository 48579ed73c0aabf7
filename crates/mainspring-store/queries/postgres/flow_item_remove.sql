-- Parts go with their item, in the same statement.
WITH parts AS (DELETE FROM flow_item_part WHERE flow = :flow AND item = :id)
DELETE FROM flow_item WHERE flow = :flow AND id = :id
