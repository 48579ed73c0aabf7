//! The engine on real databases, and with workers of other machines.

mod after;
mod calls;
mod cascade;
mod cluster;
mod dates;
mod draining;
mod elsewhere;
mod groups;
mod killed;
mod kit;
mod lanes;
mod logical;
mod queues;
mod refused;
mod reruns;
mod routing;
mod tzdata;
mod workers;
mod workflows;
