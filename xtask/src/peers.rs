//! `bench-peers`: the floor of plain SQL, Quartz and mainspring, one after the other on one throw-away PostgreSQL with its own
//! defaults, and what they come to side by side.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// Settings of the server that decide what a commit is worth.
const DURABILITY: [&str; 4] = ["fsync", "synchronous_commit", "full_page_writes", "wal_sync_method"];
/// Below this, tuned Quartz was not measured fairly, and no ratio to it means anything.
const TUNED_AT_LEAST: f64 = 300.0;
const SYNCS: usize = 500;

/// What is measured: a name, a program of this repository, and its arguments. `URL` stands for an empty database.
const MEASUREMENTS: [(&str, &str, &[&str]); 8] = [
    ("floor, fire part, 1 connection", "bench/limit/run", &["URL", "fire", "1"]),
    ("floor, fire part, 2 connections", "bench/limit/run", &["URL", "fire", "2"]),
    ("floor, whole fire, 1 connection", "bench/limit/run", &["URL", "whole", "1"]),
    ("floor, whole fire, 2 connections", "bench/limit/run", &["URL", "whole", "2"]),
    ("quartz, as shipped", "bench/quartz/fires", &["URL", "--threads", "10", "--batch", "1"]),
    ("quartz, tuned", "bench/quartz/fires", &["URL", "--threads", "50", "--batch", "50"]),
    ("mainspring, 1 node", "target/release/mainspring", &MAINSPRING),
    ("mainspring, 3 nodes", "target/release/mainspring", &MAINSPRING_3),
];
const MAINSPRING: [&str; 6] = ["bench", "fires", "--drain", "--json", "--store", "URL"];
const MAINSPRING_3: [&str; 8] = ["bench", "fires", "--drain", "--json", "--nodes", "3", "--store", "URL"];

/// Measures everything with so many triggers, each for so many seconds at most.
pub fn run(root: &Path, sizes: &[&str]) -> anyhow::Result<ExitCode> {
    let (triggers, seconds) = match sizes {
        [] => ("100000", "30"),
        [triggers] => (*triggers, "30"),
        [triggers, seconds] => (*triggers, *seconds),
        _ => bail!("say bench-peers [TRIGGERS [SECONDS]]"),
    };
    let server = mainspring_rig::Database::Postgres.start_durable()?;
    let mut lines = vec![about(&server.url())?];
    let counts = !psql(&server.url(), "SHOW shared_preload_libraries")?.is_empty();
    for (number, (name, program, arguments)) in MEASUREMENTS.into_iter().enumerate() {
        let database = format!("peers_{number}");
        psql(&server.url(), &format!("CREATE DATABASE {database}"))?;
        let url = server.url().replace("/postgres", &format!("/{database}"));
        let arguments = arguments.iter().map(|argument| argument.replace("URL", &url));
        let mut command = Command::new(root.join(program));
        command.args(arguments).current_dir(root);
        match program {
            "bench/limit/run" => command.arg(seconds),
            _ => command.args(["--triggers", triggers, "--seconds", seconds]),
        };
        if counts && program.ends_with("mainspring") {
            command.arg("--statements");
        }
        let mut figures = measure(&mut command).unwrap_or_else(|error| {
            let error = format!("{error:#}");
            let _said = writeln!(std::io::stderr(), "{name} was not measured: {error}");
            json!({ "error": error })
        });
        psql(&server.url(), &format!("DROP DATABASE {database}"))?;
        figures["name"] = name.into();
        lines.push(figures);
    }
    drop(server);
    let file = root.join("target/bench-peers.jsonl");
    std::fs::write(&file, lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n"))?;
    let text = table(&lines);
    writeln!(std::io::stdout(), "{text}\nThe figures, one object a line: {}", file.display())?;
    let complete = lines.iter().all(|line| line.get("error").is_none());
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs a benchmark whose last line is an object. What it says beside that is shown.
fn measure(command: &mut Command) -> anyhow::Result<Value> {
    let output = command.stderr(Stdio::inherit()).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("it ended with {}: {said}", output.status);
    }
    let line = said.lines().last().context("it printed nothing")?;
    serde_json::from_str(line).with_context(|| format!("it printed no object: {line}"))
}

/// The machine, the server, and what a commit costs.
fn about(url: &str) -> anyhow::Result<Value> {
    let mut durability = serde_json::Map::new();
    for name in DURABILITY {
        durability.insert(name.to_owned(), psql(url, &format!("SHOW {name}"))?.into());
    }
    let (p50, p99) = sync_times()?;
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    Ok(json!({
        "cores": cores,
        "postgres": psql(url, "SHOW server_version")?,
        "durability": durability,
        "fsync_ms": {"p50": milliseconds(p50), "p99": milliseconds(p99)},
        "load_before": std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim_end(),
    }))
}

fn psql(url: &str, sql: &str) -> anyhow::Result<String> {
    let output = Command::new("psql").args(["--no-psqlrc", "-Atqc", sql, url]).output();
    let output = output.context("cannot run psql: install your distribution's package postgresql-client")?;
    if !output.status.success() {
        bail!("{sql}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// How long it takes until a page that was appended to a file has reached the disk: the median, and the 99th percentile.
fn sync_times() -> anyhow::Result<(Duration, Duration)> {
    let mut file = tempfile::tempfile()?;
    let mut times = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        let begun = Instant::now();
        file.write_all(&[7; 8_192])?;
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    Ok((times[SYNCS / 2], times[SYNCS * 99 / 100]))
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 100_000.0).round() / 100.0
}

/// The figures side by side, and below them the ratios.
fn table(lines: &[Value]) -> String {
    let mut text = String::from(
        "| what | fires/s | lateness p50, p99 in ms | lost, duplicates | CPU, database CPU in s | MB |\n|---|---|---|---|---|---|\n",
    );
    for line in lines.iter().filter(|line| line.get("name").is_some()) {
        let shown = |value: &Value| if value.is_null() { "–".to_owned() } else { value.to_string() };
        let late = &line["lateness_ms"];
        let _infallible = writeln!(
            text,
            "| {} | {} | {}, {} | {}, {} | {}, {} | {} |",
            line["name"].as_str().unwrap_or_default(),
            shown(&line["fires_per_second"]),
            shown(&late["p50"]),
            shown(&late["p99"]),
            shown(&line["lost"]),
            shown(&line["duplicates"]),
            shown(&line["cpu_seconds"]),
            shown(&line["database_cpu_seconds"]),
            shown(&line["rss_mb"]),
        );
    }
    let about = lines.first().map(Value::to_string).unwrap_or_default();
    ratios(lines).into_iter().chain([about]).fold(text + "\n", |text, line| text + &line + "\n")
}

fn ratios(lines: &[Value]) -> Vec<String> {
    let rate = |name: &str| {
        let line = lines.iter().find(|line| line["name"] == name);
        line.and_then(|line| line["fires_per_second"].as_f64()).unwrap_or(f64::NAN)
    };
    let (one, three, tuned) = (rate("mainspring, 1 node"), rate("mainspring, 3 nodes"), rate("quartz, tuned"));
    let beside_quartz = match tuned >= TUNED_AT_LEAST {
        _ if (one / tuned).is_nan() => "beside tuned Quartz: not measured".to_owned(),
        true => format!("beside tuned Quartz: {:.1} times as many (aim: 50)", one / tuned),
        false => format!(
            "beside tuned Quartz: void, since it reached {tuned:.0}/s and not {TUNED_AT_LEAST:.0}/s ({:.1} times as many)",
            one / tuned
        ),
    };
    let percent = |what: &str| match 100.0 * one / rate(&format!("floor, {what}, 1 connection")) {
        percent if percent.is_nan() => "not measured".to_owned(),
        percent => format!("{percent:.0} %"),
    };
    let beside_one = match three / one {
        ratio if ratio.is_nan() => "not measured".to_owned(),
        ratio => format!("{ratio:.2}"),
    };
    let mut ratios = vec![
        beside_quartz,
        format!(
            "of the floor on one connection: whole fire {}, fire part alone {} (aim: 60 %)",
            percent("whole fire"),
            percent("fire part")
        ),
        format!("three nodes beside one: {beside_one} (aim: 0.8)"),
    ];
    for line in lines.iter().filter(|line| !line["commits_per_fire"].is_null()) {
        let name = line["name"].as_str().unwrap_or_default();
        let (commits, statements) = (&line["commits_per_fire"], &line["statements_per_fire"]);
        ratios.push(format!(
            "{name}: {commits} commits and {statements} statements per fire (aim: well under 0.1 commits)"
        ));
    }
    ratios
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(tuned: f64) -> Vec<Value> {
        let line = |name: &str, rate: f64| json!({"name": name, "fires_per_second": rate});
        vec![
            line("floor, fire part, 1 connection", 60_000.0),
            line("floor, whole fire, 1 connection", 40_000.0),
            line("quartz, tuned", tuned),
            json!({"name": "mainspring, 1 node", "fires_per_second": 30_000.0, "commits_per_fire": 0.001, "statements_per_fire": 0.01}),
            line("mainspring, 3 nodes", 27_000.0),
        ]
    }

    #[test]
    fn ratios_are_those_of_the_figures() {
        assert_eq!(
            ratios(&lines(400.0)),
            [
                "beside tuned Quartz: 75.0 times as many (aim: 50)",
                "of the floor on one connection: whole fire 75 %, fire part alone 50 % (aim: 60 %)",
                "three nodes beside one: 0.90 (aim: 0.8)",
                "mainspring, 1 node: 0.001 commits and 0.01 statements per fire (aim: well under 0.1 commits)",
            ]
        );
    }

    #[test]
    fn a_slow_tuned_quartz_makes_the_ratio_void() {
        assert!(ratios(&lines(299.0))[0].starts_with("beside tuned Quartz: void, since it reached 299/s"));
    }

    #[test]
    fn what_was_not_measured_has_no_ratio() {
        let mut lines = lines(400.0);
        lines.retain(|line| !["quartz, tuned", "mainspring, 3 nodes"].contains(&line["name"].as_str().unwrap()));
        let ratios = ratios(&lines);
        assert_eq!(ratios[0], "beside tuned Quartz: not measured");
        assert_eq!(ratios[2], "three nodes beside one: not measured (aim: 0.8)");
    }

    #[test]
    fn the_table_has_a_row_for_each_measurement() {
        let text = table(&lines(400.0));
        assert_eq!(text.lines().filter(|line| line.starts_with("| ")).count(), 1 + 5, "{text}");
        assert!(text.contains("| quartz, tuned | 400.0 | –, – | –, – | –, – | – |"), "{text}");
    }
}
