//! A picture in columns.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Picture;
use bands::{Bands, Frame};

mod bands;

/// Measures, in pixels.
const BOX_HEIGHT: usize = 32;
const ROW: usize = 52;
const GAP: usize = 70;
const MARGIN: usize = 20;
/// Room for a letter of a name.
const LETTER: usize = 8;

/// How often the order within columns is improved.
const SWEEPS: usize = 4;

pub fn draw(drawing: &Picture) -> String {
    let mut layers = drawing.columns.clone();
    for _ in 0..SWEEPS {
        sort_by_parents(drawing, &mut layers);
    }
    let letters = drawing.boxes.iter().map(|it| it.name.chars().count()).max().unwrap_or(0);
    let width = letters * LETTER + 24;
    if !drawing.frames.is_empty() {
        return framed(drawing, &layers, width);
    }
    let mut places = vec![(0, 0); drawing.boxes.len()];
    let highest = layers.iter().map(Vec::len).max().unwrap_or(0);
    for (column, layer) in layers.iter().enumerate() {
        // Each column is centred.
        let top = MARGIN + (highest - layer.len()) * ROW / 2;
        for (row, task) in layer.iter().enumerate() {
            places[*task as usize] = (MARGIN + column * (width + GAP), top + row * ROW);
        }
    }
    let size = (MARGIN * 2 + layers.len() * (width + GAP) - GAP.min(layers.len() * GAP), MARGIN * 2 + highest * ROW);
    picture(drawing, &places, width, size, &[])
}

/// A picture with frames, which go below each other.
fn framed(drawing: &Picture, layers: &[Vec<u32>], width: usize) -> String {
    let bands = Bands::new(drawing, layers);
    let out = bands.frames.iter().map(Frame::pad).max().unwrap_or(0);
    let left = |column: usize| MARGIN + out + column * (width + GAP);
    let mut places: Vec<(usize, usize)> = bands.tops.iter().map(|top| (0, *top)).collect();
    for (column, layer) in layers.iter().enumerate() {
        layer.iter().for_each(|task| places[*task as usize].0 = left(column));
    }
    let frame = |it: &Frame| {
        let (x, end) = (left(it.columns.0) - it.pad(), left(it.columns.1) + width + it.pad());
        let (across, high) = (end - x, it.bottom - it.top);
        format!(
            "<rect x=\"{x}\" y=\"{}\" width=\"{across}\" height=\"{high}\" rx=\"8\" fill=\"none\" stroke=\"#88a\"/>\n\
             <text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#558\">{}</text>",
            it.top,
            x + 8,
            it.top + 14,
            drawing.boxes[it.group as usize].name
        )
    };
    let frames: Vec<String> = bands.frames.iter().map(frame).collect();
    let right = left(layers.len().max(1) - 1) + width + out + MARGIN;
    picture(drawing, &places, width, (right, bands.bottom), &frames)
}

fn picture(
    drawing: &Picture,
    places: &[(usize, usize)],
    width: usize,
    size: (usize, usize),
    frames: &[String],
) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n",
        size.0, size.1
    );
    let mut line = |text: String| writeln!(svg, "{text}").expect("a text takes what is written");
    frames.iter().for_each(|frame| line(frame.clone()));
    for arrow in &drawing.arrows {
        let ((x, y), (to_x, to_y)) = (places[arrow.from as usize], places[arrow.to as usize]);
        let (x, y, to_y) = (x + width, y + BOX_HEIGHT / 2, to_y + BOX_HEIGHT / 2);
        let middle = x.midpoint(to_x);
        line(format!(
            "<path d=\"M{x} {y}C{middle} {y} {middle} {to_y} {to_x} {to_y}\" fill=\"none\" stroke=\"#888\"/>"
        ));
        if !arrow.label.is_empty() {
            let (x, y) = (middle, y.midpoint(to_y).saturating_sub(4));
            line(format!(
                "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"11\" fill=\"#555\">{}</text>",
                arrow.label
            ));
        }
    }
    let stands: BTreeSet<u32> = drawing.frames.iter().map(|(group, _)| *group).collect();
    for ((number, it), (x, y)) in (0..).zip(&drawing.boxes).zip(places) {
        // What stands for a group is round.
        let round = if stands.contains(&number) { BOX_HEIGHT / 2 } else { 5 };
        let dashes = if it.dashed { " stroke-dasharray=\"4\"" } else { "" };
        line(format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX_HEIGHT}\" rx=\"{round}\" fill=\"#fff\" stroke=\"#333\"{dashes}/>"
        ));
        let (x, y) = (x + width / 2, y + BOX_HEIGHT / 2 + 5);
        line(format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", it.name));
    }
    svg.push_str("</svg>\n");
    svg
}

/// Moves each box of a column to the middle of those that lead to it, so that fewer edges cross.
fn sort_by_parents(drawing: &Picture, layers: &mut [Vec<u32>]) {
    let mut heights = vec![0; drawing.boxes.len()];
    for layer in layers {
        let middle = |task: &u32| {
            let parents: Vec<usize> = drawing.parents(*task).map(|parent| heights[parent as usize]).collect();
            parents.iter().sum::<usize>() * 1_000 / parents.len().max(1)
        };
        layer.sort_by_cached_key(middle);
        for (row, task) in layer.iter().enumerate() {
            heights[*task as usize] = row;
        }
    }
}
