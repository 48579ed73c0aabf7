//! The engine on real databases, and with workers of other machines.

mod cluster;
mod kit;
mod refused;
mod tzdata;
mod workers;
