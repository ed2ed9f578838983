//! How far a run of several stages is, and how long the rest takes.

use std::time::{Duration, Instant};

/// The stages of a run, and how long each usually takes beside signing. A stage that does not come takes no time.
const STAGES: [(&str, f64); 5] =
    [("signing", 1.0), ("pairing", 0.11), ("verifying", 0.52), ("clustering", 0.14), ("writing", 0.38)];
/// Documents of fewer bytes are short: signing them takes longer beside all else.
const SHORT: u64 = 1000;
/// How long the other stages then take, beside what is usual.
const IF_SHORT: f64 = 0.6;
/// What is known of a stage counts for more than what is usual from this share of it on.
const KNOWN: f64 = 0.05;

/// A run on its way.
pub struct Whole {
    began: Instant,
    stage: usize,
    stage_began: Instant,
    /// How long signing took, once it is done.
    signing: Option<Duration>,
    /// Documents that were signed, and their bytes.
    documents: u64,
    bytes: u64,
    done: u64,
    total: u64,
}

/// What a bar shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// From 0 to 1.
    pub share: f64,
    /// Seconds to the end, once they can be told.
    pub left: Option<f64>,
}

impl Whole {
    /// The run that begins with this stage, if one does.
    pub fn begins(stage: &str, total: u64, now: Instant) -> Option<Whole> {
        let is_first = stage == STAGES[0].0;
        is_first.then_some(Whole {
            began: now,
            stage: 0,
            stage_began: now,
            signing: None,
            documents: 0,
            bytes: 0,
            done: 0,
            total,
        })
    }

    /// Goes on with the next stage; `false` if that is none of a run.
    pub fn goes_on(&mut self, stage: &str, total: u64, now: Instant) -> bool {
        let Some(place) = STAGES.iter().position(|(name, _)| *name == stage).filter(|place| *place > 0)
        else {
            return false;
        };
        self.signing.get_or_insert(now - self.began);
        (self.stage, self.stage_began, self.done, self.total) = (place, now, 0, total);
        true
    }

    /// Some of the stage is done.
    pub fn advance(&mut self, units: u64, documents: u64) {
        self.done += units;
        if self.stage == 0 {
            (self.documents, self.bytes) = (self.documents + documents, self.bytes + units);
        }
    }

    /// How long a stage usually takes beside signing.
    fn usual(&self, stage: usize) -> f64 {
        let is_short = self.bytes < SHORT * self.documents && stage > 0;
        STAGES[stage].1 * if is_short { IF_SHORT } else { 1.0 }
    }

    /// Where the run stands.
    pub fn standing(&self, now: Instant) -> Standing {
        let elapsed = (now - self.began).as_secs_f64();
        let in_stage = (now - self.stage_began).as_secs_f64();
        let share = (self.done as f64 / self.total.max(1) as f64).min(1.0);
        // While signing, all is measured by signing itself.
        let unit = match self.signing {
            Some(signing) => signing.as_secs_f64(),
            None if share < KNOWN / 5.0 => return Standing { share: 0.0, left: None },
            None => in_stage / share,
        };
        let usual = self.usual(self.stage) * unit;
        let stage_left = match share {
            share if share >= KNOWN || self.signing.is_none() => in_stage * (1.0 - share) / share,
            _ => (usual - in_stage).max(0.0),
        };
        let later: f64 = (self.stage + 1..STAGES.len()).map(|stage| self.usual(stage) * unit).sum();
        let left = stage_left + later;
        Standing { share: elapsed / (elapsed + left).max(f64::MIN_POSITIVE), left: Some(left) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a run whose stages take these seconds, and tells the largest error of the time to the end after the first
    /// tenth, as a share of the whole.
    fn worst(seconds: [f64; 5], bytes: u64) -> f64 {
        let began = Instant::now();
        let all: f64 = seconds.iter().sum();
        let mut whole = Whole::begins("signing", 100 * 26_000, began).unwrap();
        let (mut start, mut worst, mut last) = (0.0, 0.0f64, 0.0);
        for (place, seconds) in seconds.into_iter().enumerate() {
            let at = |seconds: f64| began + Duration::from_secs_f64(seconds);
            assert!(place == 0 || whole.goes_on(STAGES[place].0, 100, at(start)));
            for step in 1..=100 {
                match place {
                    0 => whole.advance(26_000, 26_000 / bytes),
                    _ => whole.advance(1, 0),
                }
                let now = start + seconds * f64::from(step) / 100.0;
                let Standing { share, left } = whole.standing(at(now));
                if now > all / 10.0 {
                    worst = worst.max((left.unwrap() - (all - now)).abs() / all);
                    assert!((0.0..=1.0).contains(&share));
                }
                last = share;
            }
            start += seconds;
        }
        assert!(last > 0.999, "it ends at {last}");
        worst
    }

    #[test]
    fn the_time_to_the_end_of_measured_runs_is_right_within_a_fifth() {
        // Seconds of the stages in the order above: 200,000 and 5 million documents of 2.6 KB, 2 million of 300 bytes.
        let measured = [
            ([0.97, 0.09, 0.50, 0.08, 0.32], 2600),
            ([26.6, 4.3, 15.4, 4.9, 10.4], 2600),
            ([5.2, 0.5, 1.4, 0.5, 1.1], 300),
        ];
        for (seconds, bytes) in measured {
            let worst = worst(seconds, bytes);
            assert!(worst < 0.2, "{seconds:?}: {worst}");
        }
    }

    #[test]
    fn other_stages_are_no_run() {
        let now = Instant::now();
        assert!(Whole::begins("counting", 5, now).is_none());
        let mut whole = Whole::begins("signing", 5, now).unwrap();
        assert!(!whole.goes_on("measuring recall", 5, now) && whole.goes_on("writing", 1, now));
        assert_eq!(Whole::begins("signing", 0, now).unwrap().standing(now).left, None);
    }
}
