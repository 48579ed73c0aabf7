//! The language of Graphviz.

use std::fmt::Write as _;

use super::Picture;

pub fn draw(drawing: &Picture) -> String {
    let name = |node: u32| drawing.boxes[node as usize].name.as_str();
    let mut text = format!("digraph {} {{\n  rankdir=LR;\n  node [shape=box];\n", drawing.kind);
    for it in &drawing.boxes {
        let style = if it.dashed { " [style=dashed]" } else { "" };
        writeln!(text, "  \"{}\"{style};", it.name).expect("a text takes what is written");
    }
    for arrow in &drawing.arrows {
        let label = if arrow.label.is_empty() { String::new() } else { format!(" [label=\"{}\"]", arrow.label) };
        writeln!(text, "  \"{}\" -> \"{}\"{label};", name(arrow.from), name(arrow.to))
            .expect("a text takes what is written");
    }
    text.push_str("}\n");
    text
}
