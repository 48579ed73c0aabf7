//! One row of the table of routes: the permission that it wants, and the layers that check it.

use axum::middleware::{from_fn, from_fn_with_state};
use mainspring_api::Limits;
use utoipa_axum::router::UtoipaMethodRouter;

use crate::access::Permission;
use crate::app::App;
use crate::extract::BodyLimits;
use crate::forward;
use crate::idempotency;
use crate::layers::{self, Gate};

/// The namespace of items that name none.
pub(crate) const DEFAULT_NAMESPACE: &str = "default";
/// In place of the name of a namespace: all of them. It is no name.
pub(crate) const ALL_NAMESPACES: &str = "-";

/// The namespace that a path names, if it is not all of them.
pub(crate) fn named_namespace(namespace: &str) -> Option<&str> {
    (namespace != ALL_NAMESPACES).then_some(namespace)
}

/// Handlers of a path that want the same.
pub(crate) struct Route {
    pub(super) permission: Permission,
    limits: Limits,
    pub(super) repeatable: bool,
    pub(super) conditional: bool,
    at_owner: bool,
    pub(super) handlers: UtoipaMethodRouter<App>,
}

impl Route {
    pub(super) fn new(permission: Permission, handlers: UtoipaMethodRouter<App>) -> Self {
        Self { permission, limits: Limits::FILE, repeatable: false, conditional: false, at_owner: false, handlers }
    }

    pub(super) fn public(handlers: UtoipaMethodRouter<App>) -> Self {
        Self::new(Permission::Public, handlers)
    }

    pub(super) fn view(handlers: UtoipaMethodRouter<App>) -> Self {
        Self::new(Permission::View, handlers)
    }

    pub(super) fn operate(handlers: UtoipaMethodRouter<App>) -> Self {
        Self::new(Permission::Operate, handlers)
    }

    pub(super) fn edit(handlers: UtoipaMethodRouter<App>) -> Self {
        Self::new(Permission::Edit, handlers)
    }

    pub(super) fn work(handlers: UtoipaMethodRouter<App>) -> Self {
        Self::new(Permission::Work, handlers)
    }

    /// Takes the body of an apply.
    pub(super) fn large(self) -> Self {
        Self { limits: Limits::APPLY, ..self }
    }

    /// Takes an idempotency key.
    pub(super) fn repeatable(self) -> Self {
        Self { repeatable: true, ..self }
    }

    /// Takes the version that must be there, also for a POST.
    pub(super) fn conditional(self) -> Self {
        Self { conditional: true, ..self }
    }

    /// Is answered by the node that runs the flow of the path: others pass it on.
    pub(super) fn at_owner(self) -> Self {
        Self { at_owner: true, ..self }
    }

    pub(super) fn guarded(self, app: &App) -> UtoipaMethodRouter<App> {
        let (schemas, paths, mut handlers) = self.handlers;
        if self.repeatable {
            handlers = handlers.layer(from_fn_with_state(App::clone(app), idempotency::once));
        }
        if self.at_owner {
            handlers = handlers.layer(from_fn_with_state(App::clone(app), forward::to_owner));
        }
        let gate = Gate { app: App::clone(app), permission: self.permission, limits: BodyLimits(self.limits) };
        handlers = handlers.layer(from_fn_with_state(gate, layers::admit)).layer(from_fn(layers::note_route));
        (schemas, paths, handlers)
    }
}
