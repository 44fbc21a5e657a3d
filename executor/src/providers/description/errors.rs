//! What an error means.

use domain::attempt::ErrorClass;

use super::Place;

/// How errors are told.
#[derive(Debug)]
pub struct Errors {
    /// Places of the provider's error code; the first that has one is taken.
    pub code: &'static [Place],
    /// Pointers to its words; the first that leads to a text is taken.
    pub message: &'static [&'static str],
    pub rules: &'static [Rule],
}

/// The body decides before the HTTP status (B7): rules that name codes stand before rules that name statuses.
#[derive(Debug)]
pub struct Rule {
    pub when: When,
    pub class: ErrorClass,
    pub billed: Billed,
    pub on_submit: OnSubmit,
}

/// What a rule asks of an answer.
#[derive(Debug)]
pub enum When {
    /// The code is one of these.
    Code(&'static [&'static str]),
    /// The code begins with one of these.
    CodePrefix(&'static [&'static str]),
    /// The code ends with one of these.
    CodeSuffix(&'static [&'static str]),
    /// The message has one of these in it; they are lower case, the message's case does not matter.
    MessageHas(&'static [&'static str]),
    /// The status is one of these.
    Http(&'static [u16]),
}

/// Whether an accepted request that ended so is on the bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Billed {
    /// The provider says that such an end costs nothing.
    No,
    /// It does not say.
    Unknown,
}

/// What such an answer to a submit proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnSubmit {
    /// What its status proves: a complete 4xx is a rejection, anything else nothing.
    ByStatus,
    /// A rejection whatever its status: the provider says that such an answer has taken nothing.
    Rejected,
    /// Nothing, whatever its status: the provider may have worked on it.
    Unclear,
}

/// A rule for answers whose meaning for a submit their HTTP status tells.
pub(in crate::providers) const fn rule(when: When, class: ErrorClass, billed: Billed) -> Rule {
    Rule { when, class, billed, on_submit: OnSubmit::ByStatus }
}
