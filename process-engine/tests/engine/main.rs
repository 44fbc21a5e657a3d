//! Real sockets and real processes: each test has an engine of its own, as a child process.

#[cfg(test)]
mod docker;
#[cfg(test)]
mod ending;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod life;
#[cfg(test)]
mod network;
#[cfg(test)]
mod serving;
