//! Bad expressions: the code, the place and what to write instead.

use mainspring_schedule::{Cron, Dialect, Field, Semantics};

struct Bad {
    text: &'static str,
    code: &'static str,
    /// The part of the text that is marked.
    marked: &'static str,
    suggestion: Option<&'static str>,
}

const fn bad(text: &'static str, code: &'static str, marked: &'static str, suggestion: &'static str) -> Bad {
    let suggestion = if suggestion.is_empty() { None } else { Some(suggestion) };
    Bad { text, code, marked, suggestion }
}

const BAD: [Bad; 57] = [
    // Number of fields.
    bad("", "cron.field_count", "", ""),
    bad("0 12 *", "cron.field_count", "0 12 *", ""),
    bad("0 0 12 * * ? * *", "cron.field_count", "0 0 12 * * ? * *", ""),
    // Values.
    bad("60 0 12 * * ?", "cron.out_of_range", "60", ""),
    bad("0 0 24 * * ?", "cron.out_of_range", "24", ""),
    bad("0 0 12 0 * ?", "cron.out_of_range", "0", ""),
    bad("0 0 12 1 13 ?", "cron.out_of_range", "13", ""),
    bad("0 0 12 ? * 0", "cron.out_of_range", "0", ""),
    bad("0 0 12 ? * MON 2100", "cron.out_of_range", "2100", ""),
    bad("0 0 12 ? * 8-9", "cron.out_of_range", "8", ""),
    bad("0 0 12 99 * ?", "cron.out_of_range", "99", ""),
    bad("0 0 12 ? * MONDAY", "cron.unknown_name", "MONDAY", "MON"),
    bad("0 0 12 ? JNA MON", "cron.unknown_name", "JNA", "JAN"),
    bad("0 0 12 ? * XYZ", "cron.unknown_name", "XYZ", ""),
    bad("5X 0 12 * * ?", "cron.unexpected_text", "5X", ""),
    bad("0 5.5 12 * * ?", "cron.unexpected_text", "5.5", ""),
    bad("0 0 12AM * * ?", "cron.unexpected_text", "12AM", ""),
    bad("0 0 -5 * * ?", "cron.missing_value", "", ""),
    bad("0 0 5- * * ?", "cron.missing_value", "", ""),
    bad("0 1-5-7 12 * * ?", "cron.unexpected_text", "5-7", ""),
    bad("0 0 12 * * ?\u{a0}", "cron.misplaced_question_mark", "?\u{a0}", "*"),
    bad("\u{ff10} 0 12 * * ?", "cron.unexpected_text", "\u{ff10}", ""),
    // Lists.
    bad("0,,5 0 12 * * ?", "cron.empty_item", "", ""),
    bad("0 0 12 ? * MON,", "cron.empty_item", "", ""),
    bad("0 0 12 ? * FRI#3,MON", "cron.list_not_allowed", "FRI#3,MON", ""),
    bad("0 0 12 ? * 6L,2", "cron.list_not_allowed", "6L,2", ""),
    // Steps.
    bad("*/0 0 12 * * ?", "cron.bad_step", "0", ""),
    bad("0 0/60 12 * * ?", "cron.bad_step", "60", ""),
    bad("0 0/ 12 * * ?", "cron.bad_step", "", ""),
    bad("*5 0 12 * * ?", "cron.unexpected_text", "*5", ""),
    bad("0 0 12 ? * MON-FRI/2", "cron.step_after_name", "MON-FRI/2", "2-6/2"),
    bad("0 0 12 ? JAN/3 MON", "cron.step_after_name", "JAN/3", "1/3"),
    bad("0 0 12 ? * MON-6", "cron.mixed_range", "MON-6", ""),
    bad("0 0 12 ? * MON 2030-2024", "cron.reversed_range", "2030-2024", "2024-2030"),
    // Special days.
    bad("0 0 12 L-31 * ?", "cron.bad_last_day", "L-31", ""),
    bad("0 0 12 L- * ?", "cron.bad_last_day", "L-", ""),
    bad("0 0 12 LX * ?", "cron.bad_last_day", "LX", ""),
    bad("0 0 12 32W * ?", "cron.out_of_range", "32", ""),
    bad("0 0 12 15WX * ?", "cron.unexpected_text", "15WX", ""),
    bad("0 0 12 ? * 6#6", "cron.out_of_range", "6", ""),
    bad("0 0 12 ? * #3", "cron.missing_value", "", ""),
    bad("0 0 L * * ?", "cron.unexpected_text", "L", ""),
    // Both day fields.
    bad("0 0 12 * * *", "cron.both_days", "*", "?"),
    bad("0 0 12 * * MON", "cron.both_days", "*", "?"),
    bad("0 0 12 1 * MON", "cron.both_days", "1 * MON", ""),
    bad("0 0 12 ? * ?", "cron.no_days", "?", "*"),
    bad("0 ? 12 * * ?", "cron.misplaced_question_mark", "?", "*"),
    bad("0 0 12 1,? * MON", "cron.misplaced_question_mark", "1,?", "*"),
    // Unix.
    bad("0 12 ? * *", "cron.misplaced_question_mark", "?", "*"),
    bad("0 12 L * *", "cron.quartz_only", "L", ""),
    bad("0 12 * * 5#2", "cron.quartz_only", "5#2", ""),
    bad("0 12 * * 8", "cron.out_of_range", "8", ""),
    bad("0 12 * * FRI-MON", "cron.reversed_range", "FRI-MON", "5-6,0-1"),
    bad("0 22-2 * * *", "cron.reversed_range", "22-2", "22-23,0-2"),
    bad("/5 * * * *", "cron.missing_value", "/5", "*/5"),
    bad("@dayly", "cron.unknown_nickname", "@dayly", "@daily"),
    bad(" @reboot", "cron.reboot", "@reboot", ""),
];

#[test]
fn errors_name_the_place_and_what_to_write() {
    for Bad { text, code, marked, suggestion } in BAD {
        let error = Cron::parse_auto(text, Semantics::Standard).unwrap_err();
        let found = (error.code(), &text[error.span()], error.suggestion());
        assert_eq!(found, (code, marked, suggestion), "{text:?}: {error}");
    }
}

#[test]
fn quartz_semantics_refuse_with_the_same_words() {
    for text in ["0 0 24 * * ?", "0 0 12 * * *", "0 0 12 ? * MON 2030-2024", "0 0 12 , * *"] {
        let standard = Cron::parse(text, Dialect::Quartz, Semantics::Standard).unwrap_err();
        assert_eq!(Cron::parse(text, Dialect::Quartz, Semantics::Quartz).unwrap_err(), standard, "{text}");
    }
}

#[test]
fn an_error_reads_well_alone() {
    let shown = |text| Cron::parse_auto(text, Semantics::Standard).unwrap_err().to_string();
    assert_eq!(
        shown("0 0 12 ? * MONDAY"),
        "`MONDAY` is not the name of a weekday at column 12: expected 1 to 7 (1 is Sunday) or SUN to SAT; try `MON`"
    );
    assert_eq!(
        shown("0 0 12 * * MON"),
        "both day fields are given at column 8: expected `?` in day-of-month or in day-of-week; try `?`"
    );
    let error = Cron::parse_auto("0 0/90 12 * * ?", Semantics::Standard).unwrap_err();
    assert_eq!((error.field(), error.expected()), (Some(Field::Minute), "1 to 59 after `/`"));
}

#[test]
fn suggestions_can_be_followed() {
    for Bad { text, code, .. } in BAD {
        let error = Cron::parse_auto(text, Semantics::Standard).unwrap_err();
        let Some(suggestion) = error.suggestion() else {
            continue;
        };
        let mut fixed = text.to_owned();
        fixed.replace_range(error.span(), suggestion);
        let again = Cron::parse_auto(&fixed, Semantics::Standard);
        let same = again.as_ref().err().is_some_and(|error| error.code() == code);
        assert!(!same, "{text:?} became {fixed:?}: {again:?}");
    }
}

#[test]
fn nicknames_stand_for_their_fields() {
    let table = [
        ("@hourly", "0 * * * *"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"),
        ("@yearly", "0 0 1 1 *"),
        ("@ANNUALLY", "0 0 1 1 *"),
    ];
    for (nickname, fields) in table {
        let read = |text| Cron::parse_auto(text, Semantics::Standard).unwrap();
        assert_eq!(read(nickname), read(fields));
        assert_eq!(read(nickname).dialect(), Dialect::Unix);
        assert_eq!(read(nickname).to_string(), nickname);
    }
}

#[test]
fn equal_meaning_is_equality() {
    let read = |text| Cron::parse_auto(text, Semantics::Standard).unwrap();
    assert_eq!(read("0 0/15 9 ? * 2-6"), read("0 0,15,30,45 9 ? * mon-fri"));
    assert_eq!(read("0 12 * * 0"), read("0 12 * * 7"));
    assert_eq!(read("0 12 * * FRI-SUN"), read("0 12 * * 5-7"));
    // The hours of a range are stepped through, those of a list are fixed, which matters when clocks change.
    assert_ne!(read("0 0 1-2 * * ?"), read("0 0 1,2 * * ?"));
    assert_eq!(read("0 0 23/1 * * ?"), read("0 0 23 * * ?"));
    assert_eq!(read("0 0 20-22/5 * * ?"), read("0 0 20 * * ?"));
    let quartz = Cron::parse_auto("0 0 12 * * ?", Semantics::Quartz).unwrap();
    assert_ne!(read("0 0 12 * * ?"), quartz);
}
