//! stub
use serde::{Deserialize, Serialize};
use crate::Result;
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model { weights: Vec<f64>, bias: f64 }
impl Model {
    pub fn width(&self) -> usize { self.weights.len() }
    pub fn check(&self) -> Result<()> { Ok(()) }
    pub fn score(&self, v: &[f64]) -> f64 { self.bias + v.iter().zip(&self.weights).map(|(a, b)| a * b).sum::<f64>() }
    pub fn confidence(&self, s: f64) -> f64 { 1.0 / (1.0 + (-s).exp()) }
    pub fn contributions(&self, v: &[f64], out: &mut Vec<f64>) { out.extend(v.iter().zip(&self.weights).map(|(a, b)| a * b)) }
}
