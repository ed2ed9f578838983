//! Metrics in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lookalike::index::{DocumentVerdict, Stats};

/// Upper bounds of the latency buckets, in seconds.
const BOUNDS: [f64; 12] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Counts requests. Routes are those of the table, so there are few, whatever is requested.
#[derive(Default)]
pub struct Metrics {
    routes: Mutex<BTreeMap<(String, String), Route>>,
    /// What was answered about documents, by route and verdict.
    verdicts: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    pub connections: AtomicI64,
}

#[derive(Default)]
struct Route {
    statuses: BTreeMap<u16, u64>,
    /// One more than there are bounds: the last bucket has none.
    buckets: [u64; BOUNDS.len() + 1],
    seconds: f64,
}

/// Figures that are read when requested, not counted here.
pub struct CurrentFigures {
    pub stats: Stats,
    pub waiting: usize,
    pub running: usize,
    pub damages: u64,
    pub failures: u64,
    pub search_lag: u64,
    pub search_ready: bool,
    pub disk_free: u64,
    pub last_snapshot: u64,
    pub traces_dropped: u64,
}

impl Metrics {
    pub fn count(&self, method: &str, route: &str, status: u16, time: Duration) {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let route = routes.entry((method.to_owned(), route.to_owned())).or_default();
        *route.statuses.entry(status).or_default() += 1;
        let seconds = time.as_secs_f64();
        route.seconds += seconds;
        let bucket = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
        route.buckets[bucket] += 1;
    }

    pub fn count_verdict(&self, route: &'static str, verdict: DocumentVerdict) {
        let verdict = match verdict {
            DocumentVerdict::New => "new",
            DocumentVerdict::NearDuplicate => "near-duplicate",
            DocumentVerdict::Duplicate => "duplicate",
            DocumentVerdict::Unreadable => "unreadable",
        };
        let mut verdicts = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        *verdicts.entry((route, verdict)).or_default() += 1;
    }

    pub fn text(&self, now: &CurrentFigures) -> String {
        let mut out = String::new();
        head(&mut out, "lookalike_requests_total", "counter", "Requests by route and status");
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        for ((method, path), route) in routes.iter() {
            for (status, count) in &route.statuses {
                let labels = format!("method=\"{method}\",route=\"{path}\",status=\"{status}\"");
                line(&mut out, &format!("lookalike_requests_total{{{labels}}}"), *count as f64);
            }
        }
        let name = "lookalike_request_seconds";
        head(&mut out, name, "histogram", "Seconds from a request's head to its answer");
        for ((method, path), route) in routes.iter() {
            let labels = format!("method=\"{method}\",route=\"{path}\"");
            let mut so_far = 0;
            for (bucket, count) in route.buckets.iter().enumerate() {
                so_far += count;
                let bound = BOUNDS.get(bucket).map_or("+Inf".to_owned(), f64::to_string);
                line(&mut out, &format!("{name}_bucket{{{labels},le=\"{bound}\"}}"), so_far as f64);
            }
            line(&mut out, &format!("{name}_sum{{{labels}}}"), route.seconds);
            line(&mut out, &format!("{name}_count{{{labels}}}"), so_far as f64);
        }
        drop(routes);
        head(&mut out, "lookalike_verdicts_total", "counter", "Answers about documents by route and verdict");
        for ((route, verdict), count) in &*self.verdicts.lock().unwrap_or_else(PoisonError::into_inner) {
            let labels = format!("route=\"{route}\",verdict=\"{verdict}\"");
            line(&mut out, &format!("lookalike_verdicts_total{{{labels}}}"), *count as f64);
        }
        head(&mut out, "lookalike_build_info", "gauge", "The version of the program");
        line(&mut out, &format!("lookalike_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION")), 1.0);
        let stats = &now.stats;
        for (name, value, help) in [
            ("lookalike_damage_total", now.damages, "How often stored data was found damaged"),
            ("lookalike_traces_dropped_total", now.traces_dropped, "Traced requests that no collector took"),
            ("lookalike_storage_failures_total", now.failures, "How often the disk failed or was full"),
        ] {
            head(&mut out, name, "counter", help);
            line(&mut out, name, value as f64);
        }
        for (name, value, help) in [
            ("lookalike_connections", self.connections.load(Ordering::Relaxed) as f64, "Open connections"),
            ("lookalike_work_running", now.running as f64, "Operations on the index that run"),
            ("lookalike_work_waiting", now.waiting as f64, "Operations that wait for a worker"),
            ("lookalike_documents", stats.documents as f64, "Documents in the index"),
            ("lookalike_clusters", stats.clusters as f64, "Clusters of two documents or more"),
            ("lookalike_duplicates", stats.duplicates as f64, "Documents in clusters beside the master"),
            ("lookalike_pairs", stats.pairs as f64, "Verified pairs"),
            ("lookalike_decisions", stats.decisions as f64, "Decisions of people"),
            ("lookalike_text_bytes", stats.text_bytes as f64, "Bytes of stored texts"),
            ("lookalike_index_bytes", stats.index_bytes as f64, "Bytes on disk beside the texts"),
            ("lookalike_dead_bytes", stats.dead_bytes as f64, "Bytes that compacting would free"),
            ("lookalike_log_operations", stats.log_operations as f64, "Operations since the last checkpoint"),
            ("lookalike_generation", stats.generation as f64, "Generation of the index"),
            (
                "lookalike_resigning",
                stats.resigning.unwrap_or(0.0),
                "How far a new generation is, from 0 to 1",
            ),
            (
                "lookalike_search_lag_documents",
                now.search_lag as f64,
                "Documents that cannot be searched yet",
            ),
            ("lookalike_search_ready", f64::from(u8::from(now.search_ready)), "Whether search answers"),
            ("lookalike_disk_free_bytes", now.disk_free as f64, "Free bytes on the disk of the data folder"),
            (
                "lookalike_last_snapshot_timestamp_seconds",
                now.last_snapshot as f64,
                "When the last snapshot was taken; 0 if that is not known",
            ),
            ("process_resident_memory_bytes", resident_memory() as f64, "Memory of the service"),
        ] {
            head(&mut out, name, "gauge", help);
            line(&mut out, name, value);
        }
        out
    }
}

/// The memory of the process in bytes; 0 where the system does not tell.
pub fn resident_memory() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a text cannot fail.
    let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

fn line(out: &mut String, name: &str, value: f64) {
    let _ = writeln!(out, "{name} {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_fall_into_buckets_that_add_up() {
        let metrics = Metrics::default();
        for milliseconds in [1, 3, 40_000] {
            metrics.count("GET", "/api/stats", 200, Duration::from_millis(milliseconds));
        }
        metrics.count("GET", "/api/stats", 404, Duration::from_millis(3));
        metrics.count_verdict("/api/check", DocumentVerdict::NearDuplicate);
        metrics.count_verdict("/api/check", DocumentVerdict::NearDuplicate);
        let text = metrics.text(&CurrentFigures {
            stats: Stats::default(),
            waiting: 2,
            running: 1,
            damages: 0,
            failures: 3,
            search_lag: 4,
            search_ready: true,
            disk_free: 5,
            last_snapshot: 6,
            traces_dropped: 7,
        });
        for expected in [
            "lookalike_requests_total{method=\"GET\",route=\"/api/stats\",status=\"200\"} 3\n",
            "lookalike_requests_total{method=\"GET\",route=\"/api/stats\",status=\"404\"} 1\n",
            "lookalike_request_seconds_bucket{method=\"GET\",route=\"/api/stats\",le=\"0.001\"} 1\n",
            "lookalike_request_seconds_bucket{method=\"GET\",route=\"/api/stats\",le=\"30\"} 3\n",
            "lookalike_request_seconds_bucket{method=\"GET\",route=\"/api/stats\",le=\"+Inf\"} 4\n",
            "lookalike_request_seconds_count{method=\"GET\",route=\"/api/stats\"} 4\n",
            "lookalike_verdicts_total{route=\"/api/check\",verdict=\"near-duplicate\"} 2\n",
            "lookalike_search_lag_documents 4\n",
            "lookalike_search_ready 1\n",
            "lookalike_disk_free_bytes 5\n",
            "lookalike_last_snapshot_timestamp_seconds 6\n",
            "lookalike_work_waiting 2\n",
            "lookalike_damage_total 0\n",
            "lookalike_storage_failures_total 3\n",
        ] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
        assert!(resident_memory() > 1 << 20);
    }
}
