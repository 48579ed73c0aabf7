//! What follows a failed attempt, between job file and definition.

use mainspring_api::{self as api, JobSpec, OneOrMany, Problem};
use mainspring_core::job::{RetryOn, RetryPolicy};

use super::defaults::unless_default;
use super::schedule::OrNote;
use super::task::class_range;
use super::texts::{duration_ms, duration_text};

pub(super) fn read(spec: &JobSpec, problems: &mut Vec<Problem>) -> RetryPolicy {
    let mut ms = |text: &Option<String>, pointer: &str| {
        text.as_deref().map(|text| duration_ms(text, pointer)).transpose().or_note(problems).flatten()
    };
    let on = spec.retry_on.as_ref().map(OneOrMany::as_slice).unwrap_or_default();
    RetryPolicy {
        count: spec.retries.unwrap_or(0),
        delay_ms: ms(&spec.retry_delay, "/retry_delay").unwrap_or(0),
        backoff: spec.retry_backoff.unwrap_or_default(),
        max_delay_ms: ms(&spec.retry_max_delay, "/retry_max_delay"),
        jitter_ms: ms(&spec.retry_jitter, "/retry_jitter").unwrap_or(0),
        on: on.iter().filter_map(failure).collect(),
    }
}

/// What [`api::check_job`] refuses stands for nothing.
fn failure(on: &api::RetryOn) -> Option<RetryOn> {
    let codes = |(from, to): (u16, u16)| RetryOn::Codes(from.into(), to.into());
    match on {
        api::RetryOn::Code(code) => Some(codes((*code, *code))),
        api::RetryOn::Word(word) if word == api::RetryOn::TIMED_OUT => Some(RetryOn::TimedOut),
        api::RetryOn::Word(word) if word == api::RetryOn::ERROR => Some(RetryOn::Error),
        api::RetryOn::Word(class) => class_range(class).map(codes),
    }
}

pub(super) fn write(retry: &RetryPolicy, spec: &mut JobSpec) {
    let text = |ms: i64| (ms > 0).then(|| duration_text(ms));
    let mut on: Vec<api::RetryOn> = retry.on.iter().flat_map(written).collect();
    spec.retries = (retry.count > 0).then_some(retry.count);
    spec.retry_delay = text(retry.delay_ms);
    spec.retry_backoff = unless_default(retry.backoff);
    spec.retry_max_delay = retry.max_delay_ms.map(duration_text);
    spec.retry_jitter = text(retry.jitter_ms);
    spec.retry_on = match on.len() {
        0 => None,
        1 => on.pop().map(OneOrMany::One),
        _ => Some(OneOrMany::Many(on)),
    };
}

/// A failure as job files can say it: ranges that are no class of statuses are written code by code.
fn written(on: &RetryOn) -> Vec<api::RetryOn> {
    let word = |word: &str| vec![api::RetryOn::Word(word.to_owned())];
    match *on {
        RetryOn::TimedOut => word(api::RetryOn::TIMED_OUT),
        RetryOn::Error => word(api::RetryOn::ERROR),
        RetryOn::Codes(from, to) if from % 100 == 0 && to == from + 99 => word(&format!("{}xx", from / 100)),
        RetryOn::Codes(from, to) => {
            (from..=to).filter_map(|code| u16::try_from(code).ok()).map(api::RetryOn::Code).collect()
        }
    }
}
