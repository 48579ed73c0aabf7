//! Frames of a picture: each takes a band of its own, so that nothing lies in it that is not of its group.

use std::collections::BTreeMap;

use super::super::Picture;
use super::{BOX_HEIGHT, MARGIN, ROW};

/// Between a frame and what lies in it.
const PAD: usize = 10;
/// Room for the name of a frame.
const LABEL: usize = 18;

/// A frame: its group, the first and the last column, and where it begins and ends.
pub struct Frame {
    pub group: u32,
    pub columns: (usize, usize),
    pub top: usize,
    pub bottom: usize,
    /// How many frames lie in it, within each other at most.
    pub holds: usize,
}

impl Frame {
    /// How far it stands out to the sides.
    pub const fn pad(&self) -> usize {
        PAD * (self.holds + 1)
    }
}

/// Boxes in bands: how far down each is, the frames, the inner ones first, and how high all of it is.
pub struct Bands<'a> {
    inside: BTreeMap<u32, &'a [u32]>,
    /// The column of each box, and its place in that.
    places: Vec<(usize, usize)>,
    pub tops: Vec<usize>,
    pub frames: Vec<Frame>,
    pub bottom: usize,
}

impl<'a> Bands<'a> {
    pub fn new(drawing: &'a Picture, layers: &[Vec<u32>]) -> Self {
        let mut places = vec![(0, 0); drawing.boxes.len()];
        for (column, layer) in layers.iter().enumerate() {
            layer.iter().enumerate().for_each(|(row, task)| places[*task as usize] = (column, row));
        }
        let inside: BTreeMap<u32, &[u32]> = drawing.frames.iter().map(|(group, all)| (*group, &all[..])).collect();
        let lies: Vec<u32> = inside.values().flat_map(|all| all.iter().copied()).collect();
        let outer: Vec<u32> = (0..).take(places.len()).filter(|it| !lies.contains(it)).collect();
        let mut bands = Self { inside, tops: vec![0; places.len()], places, frames: Vec::new(), bottom: 0 };
        bands.bottom = bands.place(&outer, None, MARGIN).0 + MARGIN;
        bands
    }

    /// Places boxes from `top` on, with the box that stands for them: those without a frame first, then frame by frame. Returns where they
    /// end, and how many frames lie in each other.
    fn place(&mut self, boxes: &[u32], stands: Option<u32>, top: usize) -> (usize, usize) {
        let (framed, mut plain): (Vec<u32>, Vec<u32>) = boxes.iter().partition(|it| self.inside.contains_key(it));
        plain.extend(stands);
        plain.sort_by_key(|it| self.places[*it as usize]);
        let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
        for it in plain {
            let row = rows.entry(self.places[it as usize].0).or_default();
            self.tops[it as usize] = top + *row * ROW;
            *row += 1;
        }
        let mut bottom = top + rows.values().max().copied().unwrap_or(0) * ROW;
        let mut holds = 0;
        for group in framed {
            let (end, inner) = self.frame(group, bottom);
            (bottom, holds) = (end, holds.max(inner + 1));
        }
        (bottom, holds)
    }

    /// Places what lies in a frame, and the frame around it.
    fn frame(&mut self, group: u32, top: usize) -> (usize, usize) {
        let members = self.inside[&group];
        let (end, holds) = self.place(members, Some(group), top + LABEL + PAD);
        let columns: Vec<usize> = self.within(group).iter().map(|it| self.places[*it as usize].0).collect();
        let of = |column: Option<&usize>| column.copied().unwrap_or(0);
        let columns = (of(columns.iter().min()), of(columns.iter().max()));
        // Below the last box there is room already.
        let bottom = end - (ROW - BOX_HEIGHT) + PAD;
        self.frames.push(Frame { group, columns, top, bottom, holds });
        (end + PAD, holds)
    }

    /// All boxes in a frame and in those within, with that which stands for it.
    fn within(&self, group: u32) -> Vec<u32> {
        let (mut all, mut open) = (Vec::new(), vec![group]);
        while let Some(it) = open.pop() {
            all.push(it);
            open.extend(self.inside.get(&it).copied().unwrap_or_default());
        }
        all
    }
}
