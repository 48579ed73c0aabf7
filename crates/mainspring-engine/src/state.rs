//! What an embedding program shares with its handlers: one value of each type.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Values by their types, such as a pool of connections.
#[derive(Clone, Default)]
pub struct SharedState {
    values: HashMap<TypeId, (&'static str, Arc<dyn Any + Send + Sync>)>,
}

/// The program shares no value of this type with its handlers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the program shares no {0} with its handlers")]
pub struct NoState(&'static str);

impl SharedState {
    /// Adds a value, in place of one of the same type.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.values.insert(TypeId::of::<T>(), (type_name::<T>(), Arc::new(value)));
    }

    /// Returns the value of a type.
    ///
    /// # Errors
    /// There is none.
    pub fn get<T: Any + Send + Sync>(&self) -> Result<&T, NoState> {
        let found = self.values.get(&TypeId::of::<T>()).and_then(|(_, value)| value.downcast_ref());
        found.ok_or(NoState(type_name::<T>()))
    }
}

impl fmt::Debug for SharedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.values().map(|(name, _)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_value_of_each_type() {
        let mut state = SharedState::default();
        state.insert(1_u32);
        state.insert("text".to_owned());
        state.insert(2_u32);
        assert_eq!((state.get::<u32>(), state.get::<String>().map(String::as_str)), (Ok(&2), Ok("text")));
        assert_eq!(state.get::<u8>().unwrap_err().to_string(), "the program shares no u8 with its handlers");
    }
}
