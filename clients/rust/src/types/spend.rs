use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a generation would cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Estimate {
    /// One call of the cheapest model; none if one has no rate.
    pub least: Option<String>,
    /// All calls that the policy allows; none if nobody knows.
    pub most: Option<String>,
    pub chain: Vec<EstimateStep>,
    /// Whether the first call fits into the budgets now.
    pub allowed: bool,
    /// Whether all calls would.
    pub allowed_at_most: bool,
    pub budget_day: Option<BudgetUse>,
    pub budget_month: Option<BudgetUse>,
    /// The rate card's version.
    pub rates: String,
}

/// One call of one model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EstimateStep {
    pub provider: String,
    pub model: String,
    pub attempts: u32,
    pub least: Option<String>,
    pub most: Option<String>,
}

/// A budget and what is left of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BudgetUse {
    pub budget: String,
    pub committed: String,
    pub left: String,
}

/// Which spend to tell; the month so far, by day, unless it says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpendQuery {
    /// First day.
    pub from: Option<NaiveDate>,
    /// Last day.
    pub to: Option<NaiveDate>,
    /// What to tell apart; nothing is the total only.
    pub group_by: Option<Vec<Group>>,
    pub provider: Option<String>,
    pub model: Option<String>,
    /// Empty: of generations without one.
    pub project: Option<String>,
}

/// What spend is told apart by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Group {
    Day,
    /// Operators only.
    Client,
    Provider,
    Model,
    Project,
    #[serde(untagged)]
    Other(String),
}

/// What was spent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spend {
    pub from: NaiveDate,
    pub to: NaiveDate,
    pub group_by: Vec<Group>,
    pub data: Vec<SpendLine>,
    /// There are more lines than are told; the total has them.
    pub more: bool,
    pub total: SpendTotal,
}

/// The spend of one group; it has the members that it was grouped by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SpendLine {
    #[serde(default)]
    pub day: Option<NaiveDate>,
    #[serde(default)]
    pub client: Option<Uuid>,
    #[serde(default)]
    pub provider: Option<String>,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub project: Option<String>,
    #[serde(flatten)]
    pub spend: SpendTotal,
}

/// Four sums: `unpriced` and `unknown` are parts of `reserved`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SpendTotal {
    /// Attempts whose price is known.
    pub priced: Sum,
    /// All attempts without a price, at their worst case.
    pub reserved: Sum,
    /// Ended without a price.
    pub unpriced: Sum,
    /// May or may not have been accepted.
    pub unknown: Sum,
}

/// Attempts, and US dollars.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sum {
    pub count: u64,
    pub amount: String,
}
