//! Flows: components in columns by their distance from where items are made.

use std::collections::VecDeque;
use std::fmt::Write as _;

use mainspring_core::flow::{Connection, Flow};

use super::{Arrow, Language, Node, Picture};

/// Draws a flow.
pub fn draw(flow: &Flow, language: Language) -> String {
    if language == Language::Text { text(flow) } else { super::in_language(&picture(flow), language) }
}

fn picture(flow: &Flow) -> Picture {
    let number = |place: usize| u32::try_from(place).expect("fewer than 2^32 components");
    let arrow = |it: &Connection| Arrow { from: number(it.from), to: number(it.to), label: label(it) };
    Picture {
        kind: "flow",
        boxes: flow.components().iter().map(|it| Node { name: it.name.clone(), dashed: it.is_funnel }).collect(),
        arrows: flow.connections().iter().map(arrow).collect(),
        columns: columns(flow).into_iter().map(|column| column.into_iter().map(number).collect()).collect(),
        frames: Vec::new(),
    }
}

/// The relationships of a connection, unless these are what they usually are.
fn label(it: &Connection) -> String {
    let usual = it.relationships.len() == 1 && it.relationships[0] == "success";
    if usual { String::new() } else { it.relationships.join(", ") }
}

/// Components by their distance from those that nothing leads to. A circle that nothing leads to begins with its first one.
fn columns(flow: &Flow) -> Vec<Vec<usize>> {
    let count = flow.components().len();
    let mut distances: Vec<Option<usize>> = vec![None; count];
    let sources = (0..count).filter(|it| flow.incoming(*it).iter().all(|index| flow.connections()[*index].is_loop()));
    let mut waiting: VecDeque<(usize, usize)> = sources.map(|it| (it, 0)).collect();
    for first in 0..=count {
        while let Some((component, distance)) = waiting.pop_front() {
            if distances[component].is_none() {
                distances[component] = Some(distance);
                let after = flow.outgoing(component).iter().map(|index| flow.connections()[*index].to);
                waiting.extend(after.map(|to| (to, distance + 1)));
            }
        }
        if first < count && distances[first].is_none() {
            waiting.push_back((first, 0));
        }
    }
    let mut columns = Vec::new();
    for (component, distance) in distances.into_iter().enumerate() {
        let distance = distance.unwrap_or(0);
        columns.resize_with(columns.len().max(distance + 1), Vec::new);
        columns[distance].push(component);
    }
    columns
}

/// One line for each component: where its items go.
fn text(flow: &Flow) -> String {
    let name = |component: usize| flow.components()[component].name.as_str();
    let width = flow.components().iter().map(|it| it.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for component in columns(flow).into_iter().flatten() {
        let it = &flow.components()[component];
        let mut ways: Vec<String> = Vec::new();
        for relationship in &it.relationships {
            let leads = |index: &&usize| flow.connections()[**index].relationships.contains(relationship);
            let targets =
                flow.outgoing(component).iter().filter(leads).map(|index| name(flow.connections()[*index].to));
            let targets: Vec<&str> = targets.collect();
            let to = if targets.is_empty() { "end".to_owned() } else { targets.join(", ") };
            ways.push(format!("{relationship} → {to}"));
        }
        let line = format!("{:<width$}  {}", it.name, ways.join("; "));
        writeln!(text, "{}", line.trim_end()).expect("a text takes what is written");
    }
    text
}

#[cfg(test)]
mod tests {
    use mainspring_core::flow::Component;

    use super::*;

    fn flow() -> Flow {
        let to = |from, to, relationship: &str| Connection {
            relationships: vec![relationship.into()],
            ..Connection::new(from, to)
        };
        let names = |it: Component, names: &[&str]| Component {
            relationships: names.iter().map(|it| (*it).to_owned()).collect(),
            ..it
        };
        let end = |it: Component| Component { ended: it.relationships.iter().cloned().collect(), ..it };
        let components = vec![
            end(Component::new("log")),
            Component::new("make"),
            names(Component::new("work"), &["success", "failure"]),
        ];
        Flow::new(components, vec![to(1, 2, "success"), to(2, 0, "success"), to(2, 2, "failure")]).unwrap()
    }

    #[test]
    fn a_text_names_where_items_go_from_source_to_end() {
        let expected = "make  success → work\nwork  success → log; failure → work\nlog   success → end\n";
        assert_eq!(draw(&flow(), Language::Text), expected);
    }

    #[test]
    fn pictures_have_each_component_and_connection() {
        let mermaid = draw(&flow(), Language::Mermaid);
        assert!(mermaid.contains("t2 --> |\"failure\"| t2\n") && mermaid.contains("t1 --> t2\n"), "{mermaid}");
        let svg = draw(&flow(), Language::Svg);
        assert_eq!((svg.matches("<rect ").count(), svg.matches("<path ").count()), (3, 3), "{svg}");
        assert!(draw(&flow(), Language::Dot).starts_with("digraph flow {"));
    }
}
