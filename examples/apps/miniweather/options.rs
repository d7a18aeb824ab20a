//! The command line.

use core::fmt;

use clap::builder::RangedU64ValueParser;
use clap::{Parser, ValueEnum};

use super::weather::Bubble;
use crate::program::Settings;

/// Simulates bubbles of air: miniWeather, a proxy of codes for weather and climate.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: Settings,

    /// The number of cells along x; half as many along z
    #[arg(short, long, value_name = "N", default_value_t = 200,
        value_parser = RangedU64ValueParser::<usize>::new().range(8..=20_000))]
    pub(crate) size: usize,

    /// The time that is simulated, in seconds
    #[arg(short, long, value_name = "SECONDS", default_value_t = 700.0, value_parser = seconds)]
    pub(crate) time: f64,

    /// The air at the start
    #[arg(long, value_name = "NAME", default_value_t = Scenario::Collision)]
    pub(crate) scenario: Scenario,
}

/// The air at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// A warm bubble that rises
    Thermal,
    /// A warm bubble that rises and a cold one that falls onto it
    Collision,
    /// A cold bubble that falls and spreads along the ground
    Current,
}

impl Scenario {
    /// The bubbles.
    pub(crate) fn bubbles(self) -> &'static [Bubble] {
        const fn bubble(height: f64, radii: [f64; 2], warmth: f64) -> Bubble {
            Bubble { middle: [1e4, height], radii, warmth }
        }
        match self {
            Self::Thermal => &const { [bubble(2e3, [2e3, 2e3], 3.0)] },
            Self::Collision => &const { [bubble(2e3, [2e3, 2e3], 20.0), bubble(8e3, [2e3, 2e3], -20.0)] },
            Self::Current => &const { [bubble(5e3, [4e3, 2e3], -20.0)] },
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Thermal => "thermal",
            Self::Collision => "collision",
            Self::Current => "current",
        })
    }
}

/// A time from 0 to a day.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if (0.0..=86_400.0).contains(&seconds) { Ok(seconds) } else { Err("choose 0 to 86400 seconds".into()) }
}
