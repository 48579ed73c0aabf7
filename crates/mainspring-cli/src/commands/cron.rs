//! `mainspring cron …`: works offline, by the same code that fires.

use clap::{Args, Subcommand, ValueEnum};
use jiff::tz::TimeZone;
use mainspring_schedule::{Cron, CronError, Dialect, Lang, Lint, Semantics, Timestamp, Zone};
use serde::Serialize;

use crate::error::{Error, Report, Result};
use crate::exit::Exit;
use crate::output::{Cell, Column, Form, Output, View};
use crate::time_value::{self, Direction};

/// Explain, preview and check cron expressions, without a server
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mainspring cron explain \"0 30 2 ? * 6L\"
  mainspring cron explain \"0 30 2 ? * 6L\" --lang zh
  mainspring cron next \"30 2 * * MON-FRI\" --tz Europe/Berlin --count 10
  mainspring cron lint \"30 2 29 * *\" --tz Europe/Berlin
  mainspring cron next \"0 0 12 L * ?\" --after 2026-01-01")]
pub struct CronArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Say in words when an expression fires, and in which dialect it was read
    Explain {
        #[command(flatten)]
        expression: Expression,
        /// Language
        #[arg(long, value_enum, default_value_t, value_name = "LANG")]
        lang: LangArg,
    },
    /// List the next fire times, in the zone of --tz
    Next {
        #[command(flatten)]
        expression: Expression,
        /// Fire times at most
        #[arg(long, visible_alias = "limit", default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
        count: u32,
        /// After this time: now, tomorrow, 2026-03-08, …
        #[arg(long, default_value = "now", value_name = "TIME")]
        after: String,
    },
    /// Point out mistakes and traps in the zone of --tz; exit 9 when there are any
    Lint {
        #[command(flatten)]
        expression: Expression,
        /// Language
        #[arg(long, value_enum, default_value_t, value_name = "LANG")]
        lang: LangArg,
    },
}

/// An expression and how to read it.
#[derive(Debug, Args)]
struct Expression {
    /// Five fields (Unix), six or seven fields (Quartz), or @daily and its kin; quote it
    #[arg(value_name = "EXPR")]
    text: String,
    /// Read it in this dialect, whatever the number of fields says
    #[arg(long, value_enum, value_name = "DIALECT")]
    dialect: Option<DialectArg>,
    /// Rules at clock changes: mainspring's, or Quartz's with its oddities
    #[arg(long, value_enum, default_value_t, value_name = "RULES")]
    semantics: SemanticsArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DialectArg {
    Unix,
    Quartz,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum SemanticsArg {
    #[default]
    Standard,
    Quartz,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum LangArg {
    /// English
    #[default]
    En,
    /// Simplified Chinese
    Zh,
}

impl From<LangArg> for Lang {
    fn from(lang: LangArg) -> Self {
        match lang {
            LangArg::En => Self::English,
            LangArg::Zh => Self::Chinese,
        }
    }
}

impl Expression {
    /// Reads it.
    ///
    /// # Errors
    /// Exit 9 with the place in the expression and what was expected there.
    fn parse(&self) -> Result<Cron> {
        let semantics = match self.semantics {
            SemanticsArg::Standard => Semantics::Standard,
            SemanticsArg::Quartz => Semantics::Quartz,
        };
        let parsed = match self.dialect {
            None => Cron::parse_auto(&self.text, semantics),
            Some(DialectArg::Unix) => Cron::parse(&self.text, Dialect::Unix, semantics),
            Some(DialectArg::Quartz) => Cron::parse(&self.text, Dialect::Quartz, semantics),
        };
        parsed.map_err(|error| invalid(&self.text, &error))
    }
}

/// A fire time to come.
#[derive(Debug, Serialize)]
struct Fire {
    /// RFC 3339 UTC.
    at: String,
    /// The same in the zone, with its offset.
    local: String,
    #[serde(skip)]
    instant: jiff::Timestamp,
}

const FIRE: View<Fire> = View {
    columns: &[
        Column::usual("NEXT", |it, style| Cell::new(style.instant(it.instant))),
        Column::usual("DAY", |it, style| {
            let zoned = it.instant.to_zoned(style.zone().clone());
            Cell::new(zoned.strftime("%a"))
        }),
        Column::usual("LEFT", |it, style| Cell::new(style.distance(it.instant))),
        Column::usual("UTC", |it, _| Cell::new(&it.at)),
    ],
    name: |it| it.at.clone(),
    empty: "no fire times",
};

/// Does what the verb says.
///
/// # Errors
/// Exit 9 for an expression that cannot be read or never fires.
pub fn run(args: CronArgs, output: &Output) -> Result {
    match args.verb {
        Verb::Explain { expression, lang } => explain(&expression, lang.into(), output),
        Verb::Lint { expression, lang } => lint(&expression, lang.into(), output),
        Verb::Next { expression, count, after } => next(&expression, count, &after, output),
    }
}

/// An expression in words.
#[derive(Serialize)]
struct Explanation<'a> {
    expression: &'a str,
    dialect: &'static str,
    explanation: &'a str,
}

/// A remark on an expression.
#[derive(Serialize)]
struct Remark<'a> {
    code: &'static str,
    message: &'a str,
    /// The part of the expression that causes it, in bytes from its beginning.
    start: usize,
    end: usize,
}

fn explain(expression: &Expression, lang: Lang, output: &Output) -> Result {
    let cron = expression.parse()?;
    let explanation = mainspring_schedule::explain(&cron, lang);
    match output.form() {
        Form::Table | Form::Name => output.text(explanation),
        _ => output.document(&Explanation {
            expression: &expression.text,
            dialect: cron.dialect().as_str(),
            explanation: &explanation,
        }),
    }
}

fn lint(expression: &Expression, lang: Lang, output: &Output) -> Result {
    let cron = expression.parse()?;
    let zone = schedule_zone(output.style().zone())?;
    let lints = mainspring_schedule::lint(&cron, &zone);
    match output.form() {
        Form::Table => lints.iter().try_for_each(|lint| output.text(remark(&expression.text, lint, lang)))?,
        Form::Name => lints.iter().try_for_each(|lint| output.text(lint.code))?,
        _ => output.items(&lints.iter().map(|lint| document(lint, lang)).collect::<Vec<_>>())?,
    }
    match lints.is_empty() {
        true => output.note("nothing to remark"),
        false => return Err(Error::silent(Exit::Invalid)),
    }
    Ok(())
}

/// A remark with a mark below what causes it, in the style of errors.
fn remark(text: &str, lint: &Lint, lang: Lang) -> String {
    let report = Report::new(lint.code, lint.message_in(lang)).excerpt(text, lint.span.clone());
    format!("\x1b[1;33mwarning[{}]\x1b[0m: {report}", lint.code)
}

fn document(lint: &Lint, lang: Lang) -> Remark<'_> {
    Remark { code: lint.code, message: lint.message_in(lang), start: lint.span.start, end: lint.span.end }
}

fn next(expression: &Expression, count: u32, after: &str, output: &Output) -> Result {
    let cron = expression.parse()?;
    let zone = schedule_zone(output.style().zone())?;
    let after = time_value::parse(after, &output.style().now(), Direction::Future)?;
    let mut last = Timestamp::from_millis(after.as_millisecond());
    let mut fires = Vec::new();
    while let Some(fire) = cron.next_after(&zone, last) {
        if fires.len() == count as usize {
            break;
        }
        last = fire;
        fires.push(shown(fire, output.style().zone()));
    }
    if fires.is_empty() {
        return Err(never(&cron));
    }
    output.list(&fires, &FIRE)
}

fn shown(fire: Timestamp, zone: &TimeZone) -> Fire {
    let instant = jiff::Timestamp::from_millisecond(fire.as_millis()).unwrap_or_default();
    let offset = zone.to_offset(instant);
    Fire { at: fire.to_string(), local: instant.display_with_offset(offset).to_string(), instant }
}

/// The schedule crate's zone of the same name; the machine's own zone may have none.
fn schedule_zone(zone: &TimeZone) -> Result<Zone> {
    let name = zone.iana_name().unwrap_or("UTC");
    name.parse().map_err(|_| {
        let report = Report::new("schedule.zone", format!("unknown time zone {name:?}"));
        Error::new(Exit::Invalid, report.hint("say --tz ZONE with an IANA name"))
    })
}

/// Shows the expression with a mark under what is wrong.
fn invalid(text: &str, error: &CronError) -> Error {
    let report = Report::new(error.code(), error.to_string());
    Error::new(Exit::Invalid, report.excerpt(text, error.span()))
}

fn never(cron: &Cron) -> Error {
    let text = cron.as_str();
    let message = match cron.never_fires() {
        Some(reason) => format!("{text:?} never fires: {reason}"),
        None => format!("{text:?} has no further fire time"),
    };
    Error::new(Exit::Invalid, Report::new("schedule.never", message))
}
