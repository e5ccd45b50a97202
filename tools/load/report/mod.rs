//! What is made of a [`Record`](crate::record::Record): a table, a file, a page, a comparison.
//!
//! Every table is made of the same list of [`figures`] in their [`units`]; a page adds the
//! [`plots`], each a [`plot`] over two [`scale`]s.

mod compare;
mod figures;
mod file;
mod page;
mod plot;
mod plots;
mod scale;
mod table;
#[cfg(test)]
mod tests;
mod units;

pub(crate) use self::{
    compare::compare,
    file::{read_json, write_json},
    page::{write_comparison, write_html},
    table::table,
};
