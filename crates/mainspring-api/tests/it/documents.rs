//! Texts in three spellings: what they mean, where things are, and what is refused.

use mainspring_api::{Format, Limits, Problem, parse_documents};
use serde_json::{Value, json};

fn parse(text: &str, format: Format) -> Result<Vec<Value>, Vec<Problem>> {
    let documents = parse_documents(Some("f"), text.as_bytes(), format, Limits::FILE)?;
    Ok(documents.into_iter().map(|document| document.value).collect())
}

#[test]
fn the_three_spellings_mean_the_same() {
    let expected = json!({"a": 1, "b": [true, "x", 1.5], "c": {"d": "2026-01-01T00:00:00Z"}, "": "ü"});
    let cases = [
        (Format::Yaml, "a: 1\nb: [true, x, 1.5]\nc: {d: 2026-01-01T00:00:00Z}\n'': ü\n"),
        (Format::Toml, "a = 1\nb = [true, 'x', 1.5]\n'' = 'ü'\n[c]\nd = 2026-01-01T00:00:00Z\n"),
        (Format::Json, r#"{"a": 1, "b": [true, "x", 1.5], "c": {"d": "2026-01-01T00:00:00Z"}, "": "\u00fc"}"#),
    ];
    for (format, text) in cases {
        assert_eq!(parse(text, format).unwrap(), std::slice::from_ref(&expected), "{format:?}");
    }
}

#[test]
fn yaml_scalars_follow_version_1_2() {
    let cases = [
        ("no", json!("no")),
        ("on", json!("on")),
        ("true", json!(true)),
        ("~", json!(null)),
        ("0o17", json!(15)),
        ("0x1F", json!(31)),
        ("1e3", json!(1000.0)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("18446744073709551615", json!(u64::MAX)),
        ("12:30", json!("12:30")),
        ("2026-01-01", json!("2026-01-01")),
        ("'1'", json!("1")),
        ("!!str 1", json!("1")),
        ("\"\\u00fc\"", json!("ü")),
        ("|\n  a\n  b", json!("a\nb\n")),
        (">\n  a\n  b", json!("a b\n")),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(&format!("k: {text}\n"), Format::Yaml).unwrap()[0]["k"], expected, "{text}");
    }
}

#[test]
fn yaml_documents_aliases_and_merge_keys_are_expanded() {
    let text = "a: &a {x: 1, y: 2}\nb: *a\nc: {<<: *a, y: 3}\n---\n- 1\n---\n";
    let expected = [json!({"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}, "c": {"x": 1, "y": 3}}), json!([1])];
    assert_eq!(parse(text, Format::Yaml).unwrap(), expected);
}

#[test]
fn every_value_and_key_knows_its_place() {
    let cases = [
        (Format::Yaml, "ü: 1\njobs:\n  - name: a\n    run: date\n", "f:4:10", "f:4:5"),
        (Format::Toml, "'ü' = 1\n\n[[jobs]]\n'name' = 'a'\nrun = 'date'\n", "f:5:7", "f:5:1"),
        (Format::Json, "{\"ü\": 1,\n \"jobs\": [\n {\"name\": \"a\", \"run\": \"date\"}]}", "f:3:23", "f:3:16"),
    ];
    for (format, text, value, key) in cases {
        let documents = parse_documents(Some("f"), text.as_bytes(), format, Limits::FILE).unwrap();
        assert_eq!(documents[0].position("/jobs/0/run").unwrap().to_string(), value, "{format:?}");
        assert_eq!(documents[0].key_position("/jobs/0/run").unwrap().to_string(), key, "{format:?}");
        assert_eq!(documents[0].position("/jobs/0/absent/part"), documents[0].position("/jobs/0"));
        assert_eq!(documents[0].key_position("/jobs/0/absent"), documents[0].position("/jobs/0"));
    }
}

#[test]
fn faults_have_a_code_and_a_place() {
    use Format::{Json, Toml, Yaml};
    let deep_yaml = format!("{}1{}", "[".repeat(40), "]".repeat(40));
    let deep_block: String = (0..40).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let deep_json = format!("{{\"a\":\n{}1{}}}", "[".repeat(40), "]".repeat(40));
    let deep_toml = format!("a = {}1{}", "[".repeat(40), "]".repeat(40));
    let deeper_toml = format!("a = {}1{}", "[".repeat(400), "]".repeat(400));
    let dotted_toml = format!("{}a = 1", "a.".repeat(100_000));
    let very_deep_json = "[".repeat(1_000_000);
    let very_deep_yaml = "[".repeat(1_000_000);
    let wide = format!("[{}1]", "1,".repeat(100_000));
    let large = format!("# {}", "x".repeat(1 << 20));
    let cases: &[(Format, &str, &str, Option<&str>)] = &[
        (Yaml, "a: 1\nb: [1, 2\nc: 3\n", "document.syntax", Some("f:3:2")),
        (Yaml, "a: 1\n\tb: 2\n", "document.syntax", Some("f:1:4")),
        (Yaml, "a: *nowhere\n", "document.syntax", Some("f:1:4")),
        (Yaml, "a: \"\\ud800\"\n", "document.syntax", Some("f:1:4")),
        (Yaml, "a: 1\nb: 2\na: 3\n", "document.duplicate_key", Some("f:3:1")),
        (Yaml, "a: \"\\0\"\n", "document.nul", Some("f:1:4")),
        (Yaml, "a: .inf\n", "document.unsupported", Some("f:1:4")),
        (Yaml, "a: !mine 1\n", "document.unsupported", Some("f:1:10")),
        (Yaml, &deep_yaml, "document.too_deep", Some("f:1:33")),
        (Yaml, &deep_block, "document.too_deep", None),
        (Yaml, &very_deep_yaml, "document.too_deep", None),
        (Yaml, &wide, "document.too_many_nodes", None),
        (Yaml, &large, "document.too_large", Some("f:1:1")),
        (Toml, "a = 1\nb = \n", "document.syntax", Some("f:2:5")),
        (Toml, "a = 1\n[b\n", "document.syntax", Some("f:2:3")),
        (Toml, "a = 1\nb = 2\na = 3\n", "document.duplicate_key", Some("f:3:1")),
        (Toml, "[a]\nb = 2\n[a]\n", "document.duplicate_key", Some("f:3:2")),
        (Toml, "a = \"\\u0000\"\n", "document.nul", Some("f:1:5")),
        (Toml, "a = \"\\ud800\"\n", "document.syntax", Some("f:1:8")),
        (Toml, "a = nan\n", "document.unsupported", Some("f:1:5")),
        (Toml, "a = 9223372036854775808\n", "document.unsupported", Some("f:1:5")),
        (Toml, &deep_toml, "document.too_deep", Some("f:1:36")),
        (Toml, &deeper_toml, "document.too_deep", None),
        (Toml, &dotted_toml, "document.too_deep", None),
        (Toml, &large, "document.too_large", Some("f:1:1")),
        (Json, "{\"a\": 1,\n \"b\": }", "document.syntax", Some("f:2:7")),
        (Json, "{\"a\": 1} x", "document.syntax", Some("f:1:10")),
        (Json, "", "document.syntax", Some("f:1:1")),
        (Json, "{\"a\": 1, \"b\": [1, {\"a\": \"\\ud800\"}]}", "document.syntax", Some("f:1:25")),
        (Json, "{\"a\": 1,\n\"a\": 2}", "document.duplicate_key", Some("f:2:1")),
        (Json, "{\"a\": 1,\n\"\\u0061\": 2}", "document.duplicate_key", Some("f:2:1")),
        (Json, "{\"a\":\n \"\\u0000\"}", "document.nul", Some("f:2:2")),
        (Json, "{\"\\u0000\": 1}", "document.nul", Some("f:1:2")),
        (Json, "{\"a\": 1e999}", "document.syntax", Some("f:1:7")),
        (Json, "{\"a\": 123456789012345678901}", "document.unsupported", Some("f:1:7")),
        (Json, &deep_json, "document.too_deep", Some("f:2:32")),
        (Json, &very_deep_json, "document.syntax", None),
        (Json, &wide, "document.too_many_nodes", Some("f:1:200000")),
        (Json, &large, "document.too_large", Some("f:1:1")),
    ];
    let mut wrong = Vec::new();
    for (format, text, code, place) in cases {
        let start: String = text.chars().take(60).collect();
        let problems = parse(text, *format).err().unwrap_or_default();
        let position = problems.first().and_then(|problem| problem.position.as_ref()).map(ToString::to_string);
        let code_fits = problems.first().is_some_and(|problem| problem.code == *code);
        if !code_fits || (place.is_some() && position.as_deref() != *place) {
            wrong.push(format!("{format:?} {start:?}: not {code} {place:?} but {problems:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn whole_numbers_are_never_rounded() {
    let yaml = "[123456789012345678901, -123456789012345678901 , 017]\na: &x 123456789012345678901 # c\n";
    for text in yaml.lines() {
        let problems = parse(text, Format::Yaml).unwrap_err();
        assert!(problems.iter().all(|problem| problem.code == "document.unsupported"), "{problems:?}");
        assert_eq!(problems.len(), text.matches(',').count() + 1, "{problems:?}");
    }
    assert_eq!(parse("[123456789012345678901.0]", Format::Yaml).unwrap_err()[0].code, "document.unsupported");
    let kept = "[1e20, 1.5, 123456789012345680000.0, .5, 9223372036854775807]";
    assert_eq!(parse(kept, Format::Yaml).unwrap()[0][4], i64::MAX);
}

#[test]
fn all_duplicates_of_a_document_are_reported() {
    let problems = parse("{\"a\": 1, \"a\": 2, \"b\": {\"c\": 1, \"c\": \"\\u0000\"}}", Format::Json).unwrap_err();
    let pointers: Vec<_> = problems.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(pointers, ["/a", "/b/c"]);
}

#[test]
fn text_that_is_not_utf_8_is_refused_with_its_place() {
    let problems = parse_documents(None, b"a: 1\nb: \xff", Format::Yaml, Limits::FILE).unwrap_err();
    assert_eq!(problems[0].to_string(), "error[document.encoding]: the text is not UTF-8   --> <input>:2:4");
}

#[test]
fn an_alias_bomb_is_refused_before_it_grows() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..20 {
        let before = level - 1;
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{before}"); 9].join(", ")));
    }
    let problems = parse(&bomb, Format::Yaml).unwrap_err();
    assert_eq!(problems[0].code, "document.too_many_nodes", "{problems:?}");
    let recursive = parse("a: &a [*a]\n", Format::Yaml).unwrap_err();
    assert_eq!(recursive[0].code, "document.syntax", "{recursive:?}");
}
