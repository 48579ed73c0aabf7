//! The example jobs that `mainspring dev` starts with: the files of `examples/`, built in.
//!
//! `built-in` is a link to that folder, so that a published crate has them.

use jiff::Zoned;
use mainspring_api::{Bundle, FlowSpec, Format, JobFile};

use crate::error::Result;
use crate::files;

/// A file of `examples/`, with its name.
macro_rules! example {
    ($name:literal) => {
        ($name, include_str!(concat!("../built-in/", $name)))
    };
}

/// Name and content of each file.
const FILES: &[(&str, &str)] = &[
    example!("broadcast.yaml"),
    example!("deadline.yaml"),
    example!("disk-usage.yaml"),
    example!("follow.yaml"),
    example!("hello.yaml"),
    example!("keep-data.yaml"),
    example!("label-limit.yaml"),
    example!("large-output.yaml"),
    example!("newest-wins.yaml"),
    example!("office-hours.toml"),
    example!("queue-poll.yaml"),
    example!("retries.yaml"),
    example!("rotate-logs.yaml"),
    example!("round.yaml"),
    example!("script.yaml"),
    example!("server-health.yaml"),
    example!("slow-report.yaml"),
    example!("time-limits.yaml"),
    example!("workflow-approval.yaml"),
    example!("workflow-diamond.yaml"),
    example!("workflow-elsewhere.yaml"),
    example!("workflow-failure.yaml"),
    example!("workflow-groups.yaml"),
    example!("workflow-map.yaml"),
    example!("workflow-nested.yaml"),
    example!("workflow-nine.yaml"),
];

/// Returns the built-in examples as one bundle, for a server that listens on `port`.
///
/// # Errors
/// None while the examples are valid, which a test holds.
pub fn bundle(port: u16, now: &Zoned) -> Result<Bundle> {
    let texts: Vec<(&str, String)> = FILES
        .iter()
        .map(|(name, text)| (*name, text.replace("127.0.0.1:7070", &format!("127.0.0.1:{port}"))))
        .collect();
    let files: Vec<JobFile<'_>> = texts
        .iter()
        .map(|(name, text)| JobFile {
            name: Some(name),
            format: Format::of_path(name.as_ref()).unwrap_or(Format::Yaml),
            text: text.as_bytes(),
        })
        .collect();
    Ok(files::read_texts(&files, "default", now)?.into_bundle())
}

/// The files of `examples/flows/`.
const FLOWS: &[(&str, &str)] = &[
    example!("flows/experiment-1-delay.yaml"),
    example!("flows/experiment-2-calendar.yaml"),
    example!("flows/experiment-3-event.yaml"),
    example!("flows/experiment-4-two-tasks.yaml"),
    example!("flows/experiment-5-idle.yaml"),
    example!("flows/experiment-6-long-schedule.yaml"),
    example!("flows/orders.yaml"),
];

/// Returns the built-in flows.
///
/// # Errors
/// None while they are valid, which a test holds.
pub fn flows(now: &Zoned) -> Result<Vec<FlowSpec>> {
    let files: Vec<JobFile<'_>> = FLOWS
        .iter()
        .map(|(name, text)| JobFile { name: Some(name), format: Format::Yaml, text: text.as_bytes() })
        .collect();
    files::read_flows(&files, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &str) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples").to_owned() + folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| Format::of_path(name.as_ref()).is_some())
                .collect();
        names.sort();
        names
    }

    #[test]
    fn every_file_of_the_folder_is_built_in() {
        let built_in: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names_in(""), built_in);
        let flows: Vec<&str> = FLOWS.iter().map(|(name, _)| name.trim_start_matches("flows/")).collect();
        assert_eq!(names_in("/flows"), flows);
        assert_eq!(super::flows(&Zoned::now()).unwrap().len(), FLOWS.len());
    }

    #[test]
    fn the_health_check_calls_the_port_of_the_server() {
        let bundle = bundle(8123, &Zoned::now()).unwrap();
        let health = bundle.jobs.iter().find(|job| job.name == "server-health").unwrap();
        let url = &health.http.as_ref().unwrap().url;
        assert_eq!(url, "http://127.0.0.1:8123/livez");
    }
}
