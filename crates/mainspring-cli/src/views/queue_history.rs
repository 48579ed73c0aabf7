//! How queues did over time, as lines of a table.

use mainspring_api::{QueueHistory, QueuePoint};
use serde::Serialize;

use super::{optional, text};
use crate::output::{Column, View, duration};

/// How long a bar is that stands for the most.
const BAR: u64 = 20;
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// How a queue did within a part of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueueStep {
    #[serde(flatten)]
    point: QueuePoint,
    #[serde(skip)]
    bar: String,
}

/// Returns a line for each part of time, with a bar for what waited.
#[must_use]
pub fn steps(history: QueueHistory) -> Vec<QueueStep> {
    let most = history.points.iter().map(|point| point.depth_max).max().unwrap_or(0);
    let bar = |point: &QueuePoint| {
        let length = (point.depth_max * BAR).div_ceil(most.max(1));
        "█".repeat(usize::try_from(length).unwrap_or(0))
    };
    history.points.into_iter().map(|point| QueueStep { bar: bar(&point), point }).collect()
}

/// Returns one mark for each number, as high as it is beside the highest; nothing where all are 0.
#[must_use]
pub fn sparkline(numbers: &[u64]) -> String {
    let most = numbers.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return String::new();
    }
    let level = |number: u64| usize::try_from(number * (LEVELS.len() as u64 - 1) / most).unwrap_or(0);
    numbers.iter().map(|number| LEVELS[level(*number)]).collect()
}

/// A time in milliseconds.
pub(super) fn took(ms: Option<u32>) -> Option<String> {
    ms.map(|ms| duration(ms.into()))
}

/// Columns of a history.
pub const QUEUE_STEP: View<QueueStep> = View {
    columns: &[
        Column::usual("AT", |it, style| text(style.at(Some(it.point.at)))),
        Column::usual("IN", |it, _| text(it.point.arrived)),
        Column::usual("OUT", |it, _| text(it.point.left)),
        Column::usual("QUEUED", |it, _| {
            text(format!("{}{}", if it.point.depth_is_least { "≥ " } else { "" }, it.point.depth))
        }),
        Column::usual("MOST", |it, _| text(it.point.depth_max)),
        Column::usual("DEPTH", |it, _| text(&it.bar)),
        Column::usual("WAIT P50", |it, _| optional(took(it.point.wait_p50_ms))),
        Column::usual("WAIT P95", |it, _| optional(took(it.point.wait_p95_ms))),
        Column::extra("WAIT MAX", |it, _| optional(took(it.point.wait_max_ms))),
    ],
    name: |it| it.point.at.to_string(),
    empty: "nothing is known",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_as_high_as_numbers_beside_the_highest() {
        assert_eq!(sparkline(&[0, 1, 4, 8, 7]), "▁▁▄█▇");
        assert_eq!((sparkline(&[0, 0]), sparkline(&[])), (String::new(), String::new()));
        assert_eq!(sparkline(&[u64::from(u32::MAX)]), "█");
    }

    #[test]
    fn bars_show_what_waited_at_most() {
        let point = |depth_max| QueuePoint {
            at: "2026-03-29T10:00:00Z".parse().unwrap(),
            arrived: 0,
            left: 0,
            depth: 0,
            depth_max,
            depth_is_least: false,
            wait_p50_ms: None,
            wait_p95_ms: None,
            wait_max_ms: None,
        };
        let history = |depths: &[u64]| QueueHistory {
            queue: "mail".to_owned(),
            from: point(0).at,
            to: point(0).at,
            step_ms: 60_000,
            points: depths.iter().map(|depth| point(*depth)).collect(),
        };
        let bars = |depths: &[u64]| -> Vec<usize> {
            steps(history(depths)).iter().map(|step| step.bar.chars().count()).collect()
        };
        assert_eq!(bars(&[0, 1, 50, 100]), [0, 1, 10, 20]);
        assert_eq!(bars(&[0, 0]), [0, 0]);
    }
}
