//! Which namespaces a list covers: the one of the command, or all.

use clap::Args;
use serde::Serialize;

use crate::connect::Session;
use crate::error::Result;
use crate::output::{Form, Output, View};

/// The segment by which the API names all namespaces.
const ALL: &str = "-";

/// Which namespaces a list covers.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ScopeArgs {
    /// All namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
}

impl ScopeArgs {
    /// Whether it is all.
    pub fn is_all(self) -> bool {
        self.all_namespaces
    }

    /// The namespace of a path: that of the command, or the sign for all.
    pub fn segment(self, session: &Session) -> &str {
        if self.all_namespaces { ALL } else { &session.namespace }
    }

    /// The namespace of a query: that of the command, or none for all.
    pub fn filter(self, session: &Session) -> Option<String> {
        (!self.all_namespaces).then(|| session.namespace.clone())
    }

    /// Prints a list of this scope: over all namespaces with theirs first, and an empty one with a word on where else to look.
    ///
    /// # Errors
    /// As [`Output::list`].
    pub fn list<T: Serialize>(self, session: &Session, items: &[T], view: &View<T>, output: &Output) -> Result {
        self.output(output).list(items, view)?;
        if items.is_empty() && !self.all_namespaces && output.form() == Form::Table {
            output.hint(format_args!("that is namespace {}; --all-namespaces shows the others too", session.namespace));
        }
        Ok(())
    }

    /// The output for lists of this scope: over all namespaces, tables begin with theirs.
    pub fn output(self, output: &Output) -> Output {
        if self.all_namespaces { output.led_by(&["NAMESPACE"]) } else { output.clone() }
    }
}
