//! The test of the test: each rule that a fake breaks is found out by the auditor.

use sim::case::Broken;
use sim::explore::caught;

#[test]
fn every_broken_rule_is_found_out() {
    let mut unseen = Vec::new();
    for broken in Broken::ALL {
        match caught(broken) {
            Some((case, wrong)) => println!("| {broken:?} | {case} | {} |", wrong.join("; ")),
            None => unseen.push(broken),
        }
    }
    assert_eq!(unseen, [], "nothing noticed these");
}
