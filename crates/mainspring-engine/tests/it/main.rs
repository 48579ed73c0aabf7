//! The engine on real databases.

mod cluster;
mod kit;
mod refused;
mod tzdata;
