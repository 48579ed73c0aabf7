//! The file with the versions of scripts that XXL-JOB kept.

use mainspring_api::{Timestamp, XxlGlueOld};
use mainspring_schedule::{Date, Zone};
use mainspring_xxl::import::{History, OldScript};

use crate::commands::xxl::glue::JobHistory;
use crate::error::{Error, Result};

/// Its name. Files of this ending are no job files, so that an apply passes it over.
pub const FILE: &str = "glue-versions.jsonl";

/// Returns the file with its name; nothing where there are no versions.
///
/// # Errors
/// The zone cannot be read.
pub fn file(histories: &[History], zone: &str) -> Result<Option<(String, String)>> {
    let zone = Zone::parse(zone).map_err(|error| Error::usage(format!("--timezone {zone}: {error}")))?;
    let line = |history: &History| {
        let versions = history.versions.iter().map(|script| old(script, &zone)).collect();
        let line = JobHistory { job: history.job.clone(), versions };
        serde_json::to_string(&line).expect("plain data has a text") + "\n"
    };
    let text: String = histories.iter().map(line).collect();
    Ok(Some((FILE.to_owned(), text)).filter(|(_, text)| !text.is_empty()))
}

fn old(script: &OldScript, zone: &Zone) -> XxlGlueOld {
    XxlGlueOld {
        xxl_id: script.id,
        language: script.language,
        source: script.source.clone(),
        remark: script.remark.clone(),
        saved_at: instant(&script.saved, zone).unwrap_or(Timestamp::from_millis(0)),
    }
}

/// The instant of `2026-01-31 23:59:59` in a zone. Times that clocks skip are read as those after them.
pub(super) fn instant(text: &str, zone: &Zone) -> Option<Timestamp> {
    let read: jiff::civil::DateTime = text.parse().ok()?;
    let part = |part: i8| u8::try_from(part).ok();
    let date = Date::new(i32::from(read.year()), part(read.month())?, part(read.day())?);
    let civil = date.at(part(read.hour())?, part(read.minute())?, part(read.second())?);
    Some(Timestamp::from_millis(zone.lenient(civil).as_millis()))
}

#[cfg(test)]
mod tests {
    use mainspring_api::XxlLanguage;

    use super::*;

    #[test]
    fn times_are_read_in_the_zone_of_the_old_server() {
        let script = |saved: &str| OldScript {
            id: 7,
            language: XxlLanguage::Shell,
            source: "date".to_owned(),
            remark: None,
            saved: saved.to_owned(),
        };
        let versions = vec![script("2026-01-31 23:59:59"), script("never")];
        let (name, text) = file(&[History { job: "job-7".to_owned(), versions }], "Asia/Shanghai").unwrap().unwrap();
        let read: JobHistory = serde_json::from_str(text.trim()).unwrap();
        let times: Vec<String> = read.versions.iter().map(|version| version.saved_at.to_string()).collect();
        assert_eq!((name.as_str(), read.job.as_str()), ("glue-versions.jsonl", "job-7"));
        assert_eq!(times, ["2026-01-31T15:59:59.000Z", "1970-01-01T00:00:00.000Z"]);
        assert_eq!(file(&[], "UTC").unwrap(), None);
    }
}
