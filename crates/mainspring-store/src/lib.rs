//! Where jobs, triggers, runs and history are kept
