//! What should happen now: jobs, runs, overlap, retry, timing wheel and planner, without I/O
