//! Two crates that must not know each other say which numbers are kept exactly; they say the same.

#[test]
fn both_rules_of_exact_numbers_are_one() {
    let numbers = [
        "0",
        "-0",
        "7",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "1.10",
        "1e3",
        "1E+3",
        "0.1",
        "-0.0",
        "0.000",
        "9007199254740993.0",
        "9007199254740992.0",
        "1e400",
        "1e-400",
        "5e-324",
        "0.1000000000000000055",
        "123456789012345678901234567890",
        "123456789012345678901234567890.0",
        "1e30",
        "196892548847082.12",
        "196892548847082.13",
        "1.5e",
        "-",
    ];
    for number in numbers {
        let (api, tasks) = (mainspring_api::is_exact_number(number), mainspring_tasks::is_exact_number(number));
        assert_eq!(api, tasks, "{number}");
    }
}
