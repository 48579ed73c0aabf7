//! The language that Markdown pages draw.

use std::fmt::Write as _;

use super::{Framed, Picture};

pub fn draw(drawing: &Picture) -> String {
    let mut text = String::from("flowchart LR\n");
    let name = |node: u32| drawing.boxes[node as usize].name.as_str();
    let mut deep = 1;
    drawing.each_framed(&mut |it| {
        deep -= usize::from(matches!(it, Framed::End(_)));
        let indent = "  ".repeat(deep);
        let line = match it {
            Framed::Begin(group) => format!("{indent}subgraph g{group} [\"{}\"]", name(group)),
            Framed::Box(task) => format!("{indent}t{task}[\"{}\"]", name(task)),
            // What needs the group needs this.
            Framed::End(group) => format!("{indent}  t{group}([\"{}\"])\n{indent}end", name(group)),
        };
        writeln!(text, "{line}").expect("a text takes what is written");
        deep += usize::from(matches!(it, Framed::Begin(_)));
    });
    for arrow in &drawing.arrows {
        let label = if arrow.label.is_empty() { String::new() } else { format!("|\"{}\"| ", arrow.label) };
        writeln!(text, "  t{} --> {label}t{}", arrow.from, arrow.to).expect("a text takes what is written");
    }
    for (number, _) in drawing.boxes.iter().enumerate().filter(|(_, it)| it.dashed) {
        writeln!(text, "  style t{number} stroke-dasharray: 4").expect("a text takes what is written");
    }
    text
}
