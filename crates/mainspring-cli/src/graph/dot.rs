//! The language of Graphviz.

use std::fmt::Write as _;

use super::Drawing;

pub fn draw(workflow: &Drawing) -> String {
    let name = |task: u32| workflow.tasks[task as usize].as_str();
    let graph = workflow.shape.graph();
    let mut text = String::from("digraph workflow {\n  rankdir=LR;\n  node [shape=box];\n");
    for task in graph.tasks() {
        let style = if workflow.shape.rule(task).finally { " [style=dashed]" } else { "" };
        writeln!(text, "  \"{}\"{style};", name(task)).expect("a text takes what is written");
    }
    for (from, to) in super::edges(graph) {
        writeln!(text, "  \"{}\" -> \"{}\";", name(from), name(to)).expect("a text takes what is written");
    }
    text.push_str("}\n");
    text
}
