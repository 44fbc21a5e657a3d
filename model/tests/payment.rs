//! The search over one job's payments.

use domain::generation::OnUnknown;
use model::payment::{Faults, Help, Payment};
use model::table::{Line, search};
use stateright::{Checker, Model};

#[test]
fn b3_the_table_of_the_contract_is_what_the_search_finds() {
    let lines = search();
    for line in &lines {
        println!("{line}");
    }
    let worst = |line: &Line| [line.one_crash, line.two_crashes, line.answer_lost, line.zombie];
    let found: Vec<[usize; 4]> = lines.iter().map(worst).collect();
    assert_eq!(found, [[2, 3, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 2], [1, 1, 1, 1]],);
}

/// Alone, a zombie that sends after the look-up is found out: its acceptance comes too late to be written, and is kept.
#[test]
fn i8_a_zombie_that_sends_after_the_look_up_leaves_no_call_for_free() {
    let faults = Faults { zombies: 1, rejections: 1, failures: 1, cancels: 1, ..Faults::default() };
    Payment::new(Help::Lookup, OnUnknown::Hold, 3, faults).checker().spawn_bfs().join().assert_properties();
}

#[test]
fn i2_i3_i8_i12_hold_with_a_fault_of_every_kind_at_once() {
    for help in Help::ALL {
        for on_unknown in [OnUnknown::Hold, OnUnknown::Retry] {
            let faults =
                Faults { crashes: 1, lost_answers: 1, zombies: 1, rejections: 1, failures: 1, cancels: 1 };
            let checked = Payment::new(help, on_unknown, 2, faults).checker().threads(2).spawn_bfs().join();
            println!("{help:?} {on_unknown:?}: {} states", checked.unique_state_count());
            checked.assert_properties();
        }
    }
}
