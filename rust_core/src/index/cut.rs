//! How a perfect index is cut.
use serde::{Deserialize, Serialize};
/// STUB until merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {}
