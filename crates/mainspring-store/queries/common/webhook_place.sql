SELECT noted_through FROM webhook WHERE id = :id
