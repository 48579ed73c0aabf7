-- Addresses that are told of events. `noted_through` is the last event of which deliveries were made, if it concerns one.
CREATE TABLE IF NOT EXISTS webhook (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    name VARCHAR(255) NOT NULL,
    url LONGTEXT NOT NULL,
    events LONGTEXT NOT NULL,
    namespace VARCHAR(255),
    job VARCHAR(255),
    secret VARCHAR(255) NOT NULL,
    previous_secret VARCHAR(255),
    previous_until BIGINT,
    noted_through BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE KEY webhook_name (name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Messages to them. Whoever sends one counts `attempts` up and puts `next_at` off: should it die, another one sends it then.
CREATE TABLE IF NOT EXISTS webhook_delivery (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    webhook_id BIGINT NOT NULL,
    message VARCHAR(255) NOT NULL,
    kind VARCHAR(255) NOT NULL,
    body LONGTEXT NOT NULL,
    state VARCHAR(16) NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
    attempts BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    status BIGINT,
    error LONGTEXT,
    created_at BIGINT NOT NULL,
    ended_at BIGINT,
    KEY webhook_delivery_due (webhook_id, state, next_at, id),
    KEY webhook_delivery_list (webhook_id, id),
    KEY webhook_delivery_ended (state, ended_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
