//! Whole executions over real sockets: a journal and a bucket of this crate's, providers by testkit's simulator, whose
//! ledger says what was really accepted. Tests are named after the rule they hold.

mod support;

mod path;
mod submits;
mod crashes;
mod executions;
mod journal;
mod bucket;
mod results;
mod waits;
mod cancels;
mod recoveries;
mod process;
