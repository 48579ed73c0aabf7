//! What a worker does for built-in task kinds: processes, log capture, HTTP calls
