-- What shares a fence locks its place in this index, and what counts it up locks the row alone: neither waits for the other.
-- To remove the fence takes both.
ALTER TABLE fence ADD KEY fence_kept (incarnation);
