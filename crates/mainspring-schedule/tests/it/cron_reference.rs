//! The examples of `docs/reference/cron.md` and the list of points in `docs/reference/semantics.md`.

use mainspring_schedule::{Cron, SemanticPoint, Semantics, Zone};

#[test]
fn the_examples_of_the_cron_reference_hold() {
    let mut examples = 0;
    for line in include_str!("../../../../docs/reference/cron.md").lines() {
        let cells: Vec<&str> = line.split(" | ").map(|cell| cell.trim_matches(['|', ' ', '`'])).collect();
        let [text, zone, after, next, _] = cells[..] else {
            continue;
        };
        let Ok(after) = after.parse() else { continue };
        let cron = Cron::parse_auto(text, Semantics::Standard).unwrap();
        let fire = cron.next_after(&Zone::parse(zone).unwrap(), after);
        assert_eq!(fire, Some(next.parse().unwrap()), "{line}");
        examples += 1;
    }
    assert_eq!(examples, 16);
}

#[test]
fn every_point_has_its_paragraph() {
    let text = include_str!("../../../../docs/reference/semantics.md");
    for point in SemanticPoint::ALL {
        assert!(text.contains(&format!("### {point}\n")), "{point} is not described");
    }
}
