//! How many posts of a batch one receiver may have at once.

use std::cell::RefCell;
use std::collections::BTreeMap;

use futures::lock::Mutex;
use store::deliveries::Claim;

use crate::config::LANES_OF_ONE;

/// The posts under way in a batch, by receiver ([`store::deliveries::Claimed::target`]).
#[derive(Default)]
pub(crate) struct Lanes {
    under_way: RefCell<BTreeMap<String, usize>>,
    /// Claims are made one after another: each knows what the ones before it took.
    turn: Mutex<()>,
}

/// A post under way; its lane is free again when it is dropped.
pub(crate) struct Lane<'l> {
    lanes: &'l Lanes,
    target: Option<String>,
}

impl Lanes {
    /// Makes a claim that leaves out receivers which have all the lanes that one may have.
    pub(crate) async fn claim<E>(
        &self,
        claim: impl AsyncFnOnce(&[String]) -> Result<Claim, E>,
    ) -> Result<(Claim, Lane<'_>), E> {
        let turn = self.turn.lock().await;
        let busy = self.busy();
        let claimed = claim(&busy).await?;
        let target = if let Claim::Claimed(claimed) = &claimed { Some(claimed.target.clone()) } else { None };
        if let Some(target) = &target {
            *self.under_way.borrow_mut().entry(target.clone()).or_default() += 1;
        }
        drop(turn);
        Ok((claimed, Lane { lanes: self, target }))
    }

    fn busy(&self) -> Vec<String> {
        let under_way = self.under_way.borrow();
        let full = under_way.iter().filter(|(_, posts)| **posts >= LANES_OF_ONE);
        full.map(|(target, _)| target.clone()).collect()
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        let Some(target) = &self.target else { return };
        if let Some(posts) = self.lanes.under_way.borrow_mut().get_mut(target) {
            *posts = posts.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use futures::executor::block_on;
    use store::deliveries::{Claim, Claimed};

    use super::{LANES_OF_ONE, Lanes};

    fn claimed(target: &str) -> Claim {
        Claim::Claimed(Box::new(Claimed {
            claim: 1,
            url: String::new(),
            target: target.to_owned(),
            payload: String::new(),
            tries: 1,
            after_lost: false,
            secrets: Vec::new(),
            headers: BTreeMap::new(),
            trace: None,
        }))
    }

    #[test]
    fn b12_one_slow_receiver_leaves_lanes_for_the_others() {
        block_on(async {
            let lanes = Lanes::default();
            let take = async |target: &'static str| {
                lanes
                    .claim(async |busy| {
                        let taken = busy.iter().any(|one| one == target);
                        Ok::<_, ()>(if taken { Claim::Missing } else { claimed(target) })
                    })
                    .await
                    .unwrap()
            };
            let mut slow = Vec::new();
            for _ in 0..LANES_OF_ONE {
                slow.push(take("slow").await);
            }
            assert_eq!(take("slow").await.0, Claim::Missing);
            assert_ne!(take("quick").await.0, Claim::Missing);
            slow.pop();
            assert_ne!(take("slow").await.0, Claim::Missing);
        });
    }
}
