//! The real binary, as users meet it: arguments in, stdout, stderr and exit code out.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod advice;
mod alerts;
mod any_node;
mod anywhere;
mod arena;
mod backfills;
mod bench;
mod canned;
mod check;
mod cluster;
mod command_line;
mod commands;
mod crashes;
mod cron;
mod descriptors;
mod exact;
mod faults;
mod flows;
mod flows_any_node;
mod guides;
mod herd;
mod impatience;
mod import;
mod live;
mod output;
mod past;
mod program;
mod prune;
mod queues;
mod reanchor;
mod remote;
mod reruns;
mod rolling;
mod server;
mod standby;
mod tour;
mod unreachable;
mod wait;
mod webhook;
mod worker;
mod workflows;
mod xxl;
mod xxl_faults;
mod xxl_glue;
mod xxl_proxy;
mod xxl_proxy_faults;

#[path = "../../../mainspring-xxl/tests/it/recorder.rs"]
#[expect(dead_code, reason = "the tests of the protocol have more to do with it")]
mod recorder;
