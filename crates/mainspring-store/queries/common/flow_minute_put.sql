-- A write that is repeated writes the same.
INSERT INTO flow_minute (flow, at, epoch, figures)
VALUES (:flow, :at, :epoch, :figures)
ON CONFLICT (flow, at, epoch) DO UPDATE SET figures = excluded.figures
