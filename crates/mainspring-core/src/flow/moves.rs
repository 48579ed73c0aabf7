//! Where the parts of a flow are in another definition of it.

/// What becomes of the components and connections of a flow in another definition of it. Lists have the order of the one before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moves {
    /// The place of each component in the other one; nothing where it is gone.
    pub components: Vec<Option<usize>>,
    /// Whether the edit touches it.
    pub touched: Vec<bool>,
    /// The place of each connection in the other one; nothing where it is gone.
    pub connections: Vec<Option<usize>>,
    /// Whether its settings are other ones.
    pub changed: Vec<bool>,
}
