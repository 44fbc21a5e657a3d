//! The README shows `orders.rs` as it is compiled and tested.

#[test]
fn the_readme_shows_the_example_that_is_tested() {
    let (readme, example) = (include_str!("../README.md"), include_str!("orders.rs"));
    assert!(readme.contains(&format!("```rust\n{example}```\n")), "copy tests/orders.rs into README.md");
}
