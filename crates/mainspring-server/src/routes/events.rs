use super::Route;

pub(super) fn routes() -> Vec<Route> {
    Vec::new()
}
