//! Every single fault at every await, and what the runs came through.

use sim::explore::{explore_all, single_faults};
use sim::run::{shrink, traced};

#[test]
fn b1_b2_b3_no_single_fault_breaks_a_promise() {
    let report = explore_all(&single_faults(None));
    println!("{} runs, {} accepted calls, {:?}", report.runs, report.accepted, report.reached);
    if let Some((case, wrong)) = report.failures.first() {
        let least = shrink(case);
        panic!("{wrong:?}\n{least}\n{}", traced(&least).trace.join("\n"));
    }
    assert_eq!(report.missed(), [], "no run came to this");
}
