//! The language of Graphviz.

use std::fmt::Write as _;

use super::{Framed, Picture};

pub fn draw(drawing: &Picture) -> String {
    let name = |node: u32| drawing.boxes[node as usize].name.as_str();
    let mut text = format!("digraph {} {{\n  rankdir=LR;\n  node [shape=box];\n", drawing.kind);
    let mut deep = 1;
    drawing.each_framed(&mut |it| {
        deep -= usize::from(matches!(it, Framed::End(_)));
        let indent = "  ".repeat(deep);
        let line = match it {
            Framed::Begin(group) => {
                format!("{indent}subgraph \"cluster_{0}\" {{\n{indent}  label=\"{0}\";", name(group))
            }
            Framed::Box(task) => {
                let style = if drawing.boxes[task as usize].dashed { " [style=dashed]" } else { "" };
                format!("{indent}\"{}\"{style};", name(task))
            }
            Framed::End(group) => format!("{indent}  \"{}\" [shape=oval];\n{indent}}}", name(group)),
        };
        writeln!(text, "{line}").expect("a text takes what is written");
        deep += usize::from(matches!(it, Framed::Begin(_)));
    });
    for arrow in &drawing.arrows {
        let label = if arrow.label.is_empty() { String::new() } else { format!(" [label=\"{}\"]", arrow.label) };
        writeln!(text, "  \"{}\" -> \"{}\"{label};", name(arrow.from), name(arrow.to))
            .expect("a text takes what is written");
    }
    text.push_str("}\n");
    text
}
