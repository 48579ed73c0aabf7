//! Reads the imports and definitions of a file.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Path, UseTree, Visibility};

/// One name that a file takes, or a path in its code.
pub(super) struct Import {
    /// The modules inside the file in which it stands.
    pub(super) inside: Vec<String>,
    /// As it is written, segment by segment.
    pub(super) path: Vec<String>,
    /// What it is called here. Nothing: it is all that is there.
    pub(super) name: Option<String>,
    /// Whether it is a `use`, so that others may take it from here.
    pub(super) is_use: bool,
    /// Whether it is handed on.
    pub(super) is_public: bool,
}

/// What one file takes and defines, without its tests.
#[derive(Default)]
pub(super) struct Imports {
    pub(super) all: Vec<Import>,
    /// The names of what stands at its top level.
    pub(super) defined: BTreeSet<String>,
    inside: Vec<String>,
}

impl Imports {
    pub(super) fn read(text: &str) -> syn::Result<Self> {
        let file = syn::parse_file(text)?;
        let mut imports = Self { defined: file.items.iter().filter_map(name_of).collect(), ..Self::default() };
        imports.visit_file(&file);
        Ok(imports)
    }

    fn take(&mut self, tree: &UseTree, before: &[String], is_public: bool) {
        let with = |name: &syn::Ident| before.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
        let (path, name) = match tree {
            UseTree::Path(it) => return self.take(&it.tree, &with(&it.ident), is_public),
            UseTree::Group(group) => return group.items.iter().for_each(|it| self.take(it, before, is_public)),
            UseTree::Name(it) if it.ident == "self" => (before.to_vec(), before.last().cloned()),
            UseTree::Name(it) => (with(&it.ident), Some(it.ident.to_string())),
            UseTree::Rename(it) if it.ident == "self" => (before.to_vec(), Some(it.rename.to_string())),
            UseTree::Rename(it) => (with(&it.ident), Some(it.rename.to_string())),
            UseTree::Glob(_) => (before.to_vec(), None),
        };
        self.all.push(Import { inside: self.inside.clone(), path, name, is_use: true, is_public });
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attributes(item).iter().any(is_test) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.inside.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.inside.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_none() {
            self.take(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let starts = |word| path.segments.first().is_some_and(|first| first.ident == word);
        if starts("crate") || starts("super") {
            let path = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.all.push(Import { inside: self.inside.clone(), path, name: None, is_use: false, is_public: false });
        }
        visit::visit_path(self, path);
    }

    /// `pub(in crate::x)` takes nothing from there.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(it) => &it.attrs,
        Item::Fn(it) => &it.attrs,
        Item::Use(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        _ => &[],
    }
}

/// Whether something is there for tests alone.
fn is_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<Path>().is_ok_and(|path| path.is_ident("test"))
}

fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::Fn(it) => &it.sig.ident,
        Item::Macro(it) => it.ident.as_ref()?,
        Item::Static(it) => &it.ident,
        Item::Struct(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::Type(it) => &it.ident,
        Item::Union(it) => &it.ident,
        Item::Mod(it) if it.content.is_some() => &it.ident,
        _ => return None,
    };
    Some(ident.to_string())
}
