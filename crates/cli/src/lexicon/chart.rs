//! The curves of K04's Figure 1 as a separate drawing: light or dark as the viewer prefers.

use lookalike_core::lexicon::stability::survival;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 536.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 344.0;
/// Colours that colour-blind people can distinguish, too.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#222}.title{font-weight:600}.grid{stroke:#ddd}\
.line{fill:none;stroke-width:2}@media(prefers-color-scheme:dark){svg{background:#111}text{fill:#ddd}.grid{stroke:#333}}";

/// A line for each number of lexicons over the numbers of changes.
pub fn draw(dropped: f64, changes: &[u32], lexicons: &[u32]) -> String {
    let first = f64::from(changes.first().copied().unwrap_or(0));
    let last = f64::from(changes.last().copied().unwrap_or(0));
    let across = |number: u32| LEFT + (f64::from(number) - first) / (last - first).max(1.0) * (RIGHT - LEFT);
    let down = |chance: f64| BOTTOM - chance * (BOTTOM - TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n\
         <title>Stability of I-Match signatures, {dropped} of the terms dropped from each lexicon</title>\n\
         <style>{STYLE}</style>\n\
         <text class=\"title\" x=\"{LEFT}\" y=\"20\">Chance that a signature survives, p = {dropped}</text>\n"
    );
    for step in 0..=5 {
        let chance = f64::from(step) / 5.0;
        let y = down(chance);
        svg += &format!(
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{chance:.1}</text>\n",
            LEFT - 8.0,
            y + 4.0
        );
    }
    // So few that the labels do not touch.
    let every = changes.len().div_ceil(10).max(1);
    for &number in changes.iter().step_by(every) {
        let x = across(number);
        svg +=
            &format!("<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{number}</text>\n", BOTTOM + 20.0);
    }
    let middle = (LEFT + RIGHT) / 2.0;
    svg += &format!(
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">lexicon terms added or removed</text>\n",
        HEIGHT - 14.0
    );
    for (index, &lexicons) in lexicons.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        // Lines of one colour differ by their dashes.
        let dashes =
            if index < COLOURS.len() { String::new() } else { format!(" stroke-dasharray=\"{}\"", index) };
        let points: Vec<String> = changes
            .iter()
            .map(|&changes| {
                format!("{:.1} {:.1}", across(changes), down(survival(dropped, changes, lexicons)))
            })
            .collect();
        let key = TOP + 20.0 * index as f64;
        svg += &format!(
            "<path class=\"line\" stroke=\"{colour}\"{dashes} d=\"M{}\"/>\
             <path class=\"line\" stroke=\"{colour}\"{dashes} d=\"M{} {key}h24\"/>\
             <text x=\"{}\" y=\"{}\">bag-{lexicons}</text>\n",
            points.join("L"),
            RIGHT + 16.0,
            RIGHT + 46.0,
            key + 4.0
        );
    }
    svg + "</svg>\n"
}
