//! The language that Markdown pages draw.

use std::fmt::Write as _;

use super::Picture;

pub fn draw(drawing: &Picture) -> String {
    let mut text = String::from("flowchart LR\n");
    for (number, it) in drawing.boxes.iter().enumerate() {
        writeln!(text, "  t{number}[\"{}\"]", it.name).expect("a text takes what is written");
    }
    for arrow in &drawing.arrows {
        let label = if arrow.label.is_empty() { String::new() } else { format!("|\"{}\"| ", arrow.label) };
        writeln!(text, "  t{} --> {label}t{}", arrow.from, arrow.to).expect("a text takes what is written");
    }
    for (number, _) in drawing.boxes.iter().enumerate().filter(|(_, it)| it.dashed) {
        writeln!(text, "  style t{number} stroke-dasharray: 4").expect("a text takes what is written");
    }
    text
}
