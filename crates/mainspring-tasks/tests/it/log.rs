//! What a process prints, and how it reaches the reader.

use std::fs;
use std::time::Duration;

use mainspring_tasks::{LogWriter, Outcome, Stream};

use crate::support::*;

#[tokio::test]
async fn lines_of_both_streams_are_kept_with_time_and_order() {
    for hold in BOTH {
        let bench = Bench::new(hold);
        let before = now_ms();
        let (ended, lines) = bench.run("echo one; sleep 0.1; echo two >&2; sleep 0.1; printf 'three\\r\\nfour'").await;
        let found: Vec<_> = lines.iter().map(|line| (line.stream, line.text.as_str())).collect();
        let expected =
            [(Stream::Stdout, "one"), (Stream::Stderr, "two"), (Stream::Stdout, "three"), (Stream::Stdout, "four")];
        assert_eq!(found, expected, "{hold:?}");
        assert!(lines.is_sorted_by_key(|line| line.at_ms));
        assert!(lines[0].at_ms >= before && lines[3].at_ms <= now_ms());
        assert_eq!((ended.log_lines, ended.log_truncated), (4, false));
    }
}

#[tokio::test]
async fn a_line_is_there_while_the_process_runs() {
    line_of_a_process_that_runs().await;
}

/// Real time: a test of `make proof`.
#[tokio::test]
async fn a_line_is_there_within_a_second() {
    let delay_ms = line_of_a_process_that_runs().await;
    assert!(delay_ms < 1_000, "{delay_ms} ms, where about 25 are meant");
}

/// Returns how long the line took from the process to its reader.
async fn line_of_a_process_that_runs() -> i64 {
    let bench = Bench::new(Hold::Leash);
    let gate = bench.path("gate");
    let script = format!("echo first; while [ ! -e {} ]; do sleep 0.01; done; echo last", gate.display());
    let (writer, mut reader) = LogWriter::channel(4, now_ms);
    let (task, attempt) = (sh(&script), attempt());
    let follow = async {
        let chunk = reader.next().await.unwrap();
        let delay_ms = now_ms() - chunk.lines[0].at_ms;
        // The script ends only now, so the line came while it ran.
        fs::write(&gate, "").unwrap();
        (chunk.lines[0].text.clone(), delay_ms, read_rest(reader).await)
    };
    let (_, (first, delay_ms, rest)) =
        tokio::join!(bench.runner.perform(&task, &attempt, writer, std::future::pending()), follow);
    assert_eq!((first.as_str(), rest), ("first", vec!["last".to_owned()]));
    delay_ms
}

async fn read_rest(mut reader: mainspring_tasks::LogReader) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(chunk) = reader.next().await {
        texts.extend(chunk.lines.into_iter().map(|line| line.text));
    }
    texts
}

#[tokio::test]
async fn binary_garbage_and_endless_lines_do_no_harm() {
    let bench = Bench::with(Hold::Leash, |settings| settings.log.run_bytes_max = 4 << 20);
    let (ended, lines) = bench.run("head -c 3000000 /dev/urandom; printf 'a\\0b\\377\\n'").await;
    assert_eq!(ended.outcome, Outcome::Succeeded);
    assert!(lines.iter().all(|line| line.text.len() <= 3 * 64 * 1024));
    assert!(lines.last().unwrap().text.ends_with("a\0b\u{fffd}"));

    let (ended, lines) = bench.run("head -c 300000000 /dev/zero | tr '\\0' x; echo; echo end").await;
    assert_eq!((ended.outcome, ended.log_truncated), (Outcome::Succeeded, true));
    let kept: usize = lines.iter().filter(|line| line.partial).map(|line| line.text.len()).sum();
    assert!(kept > (4 << 20) - (128 << 10) && kept <= 4 << 20, "{kept}");
    assert!(lines.iter().all(|line| line.text.len() <= 64 * 1024));
    assert!(texts(&lines, Stream::System)[0].starts_with("log truncated"));
    assert_eq!(lines.last().unwrap().text, "end", "the end says what came of it");
}

#[tokio::test]
async fn the_cap_does_not_stop_the_process() {
    let bench = Bench::with(Hold::Leash, |settings| settings.log.run_bytes_max = 100);
    let (ended, lines) = bench.run("seq 1 200000; echo rows=5 > \"$MS_OUTPUT\"; exit 2").await;
    assert_eq!((ended.exit_code, ended.log_truncated), (Some(2), true));
    assert_eq!(texts(&lines, Stream::System).len(), 2);
    assert!(lines.len() < 60 && lines[0].text == "1" && lines.last().unwrap().text == "200000");
    assert!(ended.output.is_some());
}

#[tokio::test]
async fn a_reader_that_stands_still_holds_the_process_but_not_its_end() {
    let bench = Bench::with(Hold::Leash, |settings| settings.log.flush_ms_max = 200);
    let (writer, reader) = LogWriter::channel(1, now_ms);
    let (task, mut attempt) = (sh("yes"), attempt());
    attempt.timeout = Some(Duration::from_millis(300));
    let ended = bench.runner.perform(&task, &attempt, writer, std::future::pending()).await;
    assert_eq!((ended.outcome, ended.log_truncated), (Outcome::TimedOut, true));
    drop(reader);
}

#[tokio::test]
async fn a_reader_that_goes_away_does_not_stop_the_process() {
    let bench = Bench::new(Hold::Leash);
    let (writer, reader) = LogWriter::channel(1, now_ms);
    drop(reader);
    let task = sh("seq 1 100000; exit 7");
    let ended = bench.runner.perform(&task, &attempt(), writer, std::future::pending()).await;
    assert_eq!((ended.exit_code, ended.log_lines, ended.log_truncated), (Some(7), 0, true));
}
