//! Compares the figures of a benchmark's report with their bounds.

use std::collections::BTreeMap;

use anyhow::Context;
use serde_json::Value;

use super::parts::Bench;

/// Returns what is out of bounds. `said` is the output of the benchmark; its report is the last line that is an object.
///
/// # Errors
/// Fails when there is no report, or a figure is not in it.
pub fn judge(bench: &Bench, said: &str) -> anyhow::Result<Vec<String>> {
    let report = said.lines().rev().find(|line| line.starts_with('{')).context("it printed no report")?;
    let report: Value = serde_json::from_str(report).context("reading its report")?;
    let mut problems = Vec::new();
    let mut compare = |bounds: &BTreeMap<String, f64>, words: &str, holds: fn(f64, f64) -> bool| {
        for (name, bound) in bounds {
            let pointer = format!("/{}", name.replace('.', "/"));
            let figure = report.pointer(&pointer).and_then(Value::as_f64);
            let figure = figure.with_context(|| format!("there is no number `{name}` in its report: {report}"))?;
            if !holds(figure, *bound) {
                problems.push(format!("{}: {name} is {figure}, and {words} {bound} is asked for", bench.name));
            }
        }
        anyhow::Ok(())
    };
    compare(&bench.at_least, "at least", |figure, bound| figure >= bound)?;
    compare(&bench.at_most, "at most", |figure, bound| figure <= bound)?;
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench() -> Bench {
        let bounds = |name: &str, bound| BTreeMap::from([(name.to_owned(), bound)]);
        let (at_least, at_most) = (bounds("fires_per_second", 1_000.0), bounds("lateness_ms.p99", 8.0));
        Bench { name: "a drain".into(), run: Vec::new(), at_least, at_most }
    }

    #[test]
    fn figures_out_of_bounds_are_named_with_the_bound() {
        let cases = [
            (r#"{"fires_per_second": 1000, "lateness_ms": {"p99": 8}}"#, vec![]),
            (
                r#"{"fires_per_second": 999.5, "lateness_ms": {"p99": 9}}"#,
                vec![
                    "a drain: fires_per_second is 999.5, and at least 1000 is asked for",
                    "a drain: lateness_ms.p99 is 9, and at most 8 is asked for",
                ],
            ),
        ];
        for (report, expected) in cases {
            assert_eq!(judge(&bench(), &format!("a word before\n{report}\n")).unwrap(), expected, "{report}");
        }
    }

    #[test]
    fn figure_that_is_missing_is_no_figure_within_bounds() {
        let error = judge(&bench(), r#"{"lateness_ms": {"p99": 8}}"#).unwrap_err().to_string();
        assert!(error.contains("no number `fires_per_second`"), "{error}");
        assert!(judge(&bench(), "nothing").unwrap_err().to_string().contains("no report"));
    }
}
