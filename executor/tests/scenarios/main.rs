//! Whole executions over real sockets: a journal and a bucket of this crate's, providers by testkit's simulator, whose
//! ledger says what was really accepted. Tests are named after the rule they hold.
#![cfg(test)]

mod stand;
mod support;

mod bucket;
mod cancels;
mod crashes;
mod executions;
mod faults;
mod gateway;
mod inputs;
mod journal;
mod looks;
mod path;
mod process;
mod providers;
mod recoveries;
mod results;
mod submits;
mod synchronous;
mod table;
mod waits;
