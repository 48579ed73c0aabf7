//! The async shell that drives the planner over a store
