//! Contents of items, as a machine knows them and as the store keeps them.

use mainspring_core::flow::body::Content;
use mainspring_store::ItemContent;

/// What the store is to keep of an item.
pub(super) fn kept_content(content: &Content) -> ItemContent {
    let attributes = serde_json::to_string(&content.attributes).expect("texts are JSON");
    ItemContent { attributes, payload: content.payload.clone() }
}

/// What an item of the store holds.
pub(super) fn content_of(kept: ItemContent) -> Content {
    Content { attributes: serde_json::from_str(&kept.attributes).unwrap_or_default(), payload: kept.payload }
}
