//! The language that Markdown pages draw.

use std::fmt::Write as _;

use super::Drawing;

pub fn draw(workflow: &Drawing) -> String {
    let mut text = String::from("flowchart LR\n");
    for (number, name) in workflow.tasks.iter().enumerate() {
        writeln!(text, "  t{number}[\"{name}\"]").expect("a text takes what is written");
    }
    for (from, to) in super::edges(workflow.shape.graph()) {
        writeln!(text, "  t{from} --> t{to}").expect("a text takes what is written");
    }
    let last = workflow.shape.graph().tasks().filter(|task| workflow.shape.rule(*task).finally);
    for task in last {
        writeln!(text, "  style t{task} stroke-dasharray: 4").expect("a text takes what is written");
    }
    text
}
