UPDATE worker SET clock_offset_ms = :offset WHERE id = :id
