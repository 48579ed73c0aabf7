//! `/jobcode/save`: scripts.

use mainspring_api::XxlGlueChange;
use mainspring_xxl::Fields;
use serde_json::Value;

use super::super::jobs::{self, saver};
use super::super::told::{Told, said};
use super::Content;
use crate::app::App;
use crate::extract::Condition;
use crate::routes::xxl_glue;

/// Gives a job another script.
pub(super) async fn save(app: &App, fields: &Fields) -> Told<Content> {
    let id = fields.number("id").ok_or_else(|| "id is missing".to_owned())?;
    let source = fields.get("glueSource").filter(|source| !source.trim().is_empty());
    let source = source.ok_or_else(|| "glueSource is missing".to_owned())?.to_owned();
    let job = jobs::find(&**app.control().store(), id, None).await?;
    let remark = fields.text("glueRemark").map(str::to_owned);
    let change = XxlGlueChange { source, remark, ..XxlGlueChange::default() };
    let key = job.row.definition.key.clone();
    xxl_glue::save(app, key, Condition::Always, saver(app), change).await.map_err(said)?;
    Ok(Content::Value(Value::Null, Vec::new()))
}
