//! Apps of XXL-JOB's executors, the executors, and versions of their scripts, in tables.

use mainspring_api::{XxlApp, XxlGlueVersion, XxlInstance};

use super::{optional, text, yes};
use crate::output::{Column, View};

/// Columns of apps.
pub const XXL_APP: View<XxlApp> = View {
    columns: &[
        Column::usual("NAME", |it, _| text(&it.name)),
        Column::usual("TITLE", |it, _| optional(it.title.as_ref())),
        Column::usual("ALIVE", |it, _| text(it.instances.iter().filter(|one| one.alive).count())),
        Column::usual("SLOTS", |it, _| text(it.slots)),
        Column::usual("QUEUE", |it, _| text(&it.queue)),
        Column::usual("CREATED", |it, style| text(style.at(Some(it.created_at)))),
        Column::extra("INSTANCES MAX", |it, _| text(it.instances_max)),
        Column::extra("SCRIPTS", |it, _| yes(it.glue)),
        Column::extra("ADDRESSES", |it, _| text(it.addresses.join(", "))),
        Column::extra("OLD TOKEN UNTIL", |it, style| text(style.at(it.previous_token_until))),
        Column::extra("WARNINGS", |it, _| text(it.warnings.join("; "))),
    ],
    name: |it| it.name.clone(),
    empty: "no apps",
};

/// Columns of executors.
pub const XXL_INSTANCE: View<XxlInstance> = View {
    columns: &[
        Column::usual("APP", |it, _| text(&it.app)),
        Column::usual("ADDRESS", |it, _| text(&it.address)),
        Column::usual("ALIVE", |it, _| yes(it.alive)),
        Column::usual("DIALECT", |it, _| optional(it.dialect.as_ref())),
        Column::usual("RUNNING", |it, _| optional(it.running)),
        Column::usual("BEAT", |it, style| text(style.at(it.beat_at))),
        Column::usual("LACKS", |it, _| optional(Some(it.lacks.join(", ")).filter(|lacks| !lacks.is_empty()))),
        Column::extra("CLOCK", |it, _| optional(it.clock_offset_ms.map(|ms| format!("{:+}s", ms / 1_000)))),
        Column::extra("BREAKER", |it, style| {
            let until = it.breaker_until.map(|until| format!("open until {}", style.at(Some(until))));
            optional(until.or_else(|| it.breaker.map(|breaker| breaker.as_str().to_owned())))
        }),
        Column::extra("HEARD", |it, style| text(style.at(it.heard_at))),
        Column::extra("MANUAL", |it, _| yes(it.manual)),
        Column::extra("LEFT", |it, _| yes(it.left)),
    ],
    name: |it| it.address.clone(),
    empty: "no executors",
};

/// Columns of versions of a script.
pub const XXL_GLUE: View<XxlGlueVersion> = View {
    columns: &[
        Column::usual("VERSION", |it, _| text(it.version)),
        Column::usual("CURRENT", |it, _| yes(it.current)),
        Column::usual("LANGUAGE", |it, _| text(it.language.as_str())),
        Column::usual("SAVED", |it, style| text(style.at(Some(it.saved_at)))),
        Column::usual("REMARK", |it, _| optional(it.remark.as_ref())),
        Column::usual("BY", |it, _| optional(it.by.as_ref())),
        Column::extra("BYTES", |it, _| text(it.bytes)),
        Column::extra("GLUE UPDATETIME", |it, _| text(it.glue_updatetime)),
        Column::extra("XXL ID", |it, _| optional(it.xxl_id)),
    ],
    name: |it| it.version.to_string(),
    empty: "no versions of a script",
};
