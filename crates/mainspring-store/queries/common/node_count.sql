SELECT counter, counted_at FROM node_count WHERE node = :node
