use super::*;
use crate::testing::{between, check_well_formed};

const HOSTILE: &str = r#"<script>alert("x")</script> & 'y'"#;

fn drawn(draw: impl Fn(&mut String) -> fmt::Result) -> String {
    let mut out = String::new();
    draw(&mut out).unwrap();
    check_well_formed(&format!("<!DOCTYPE html>{out}"));
    let numbers = between(&out, "d=\"", "\"").concat();
    assert!(!numbers.contains("NaN") && !numbers.contains("inf"), "{numbers}");
    for attribute in ["x=\"", "y=\"", "viewBox=\""] {
        for value in between(&out, attribute, "\"") {
            assert!(value.split(' ').all(|number| number.parse().is_ok_and(f64::is_finite)), "{value}");
        }
    }
    assert!(!out.contains("<script") && out.contains("<title>") && out.contains("<desc>"));
    out
}

fn point(x: f64, y: f64) -> LinePoint {
    LinePoint { x, y, interval: None }
}

fn lines(series: Vec<Series>) -> String {
    drawn(|out| {
        Lines {
            title: HOSTILE,
            x_label: HOSTILE,
            y_label: HOSTILE,
            series: series.clone(),
            ..Lines::default()
        }
        .draw(out)
    })
}

fn named(name: &str, points: Vec<LinePoint>) -> Series {
    Series { name: name.to_owned(), points }
}

/// The places of the points of a line, from its path.
fn path(svg: &str, class: &str) -> Vec<(f64, f64)> {
    let open = format!("<path class=\"{class}\" d=\"M");
    let path = between(svg, &open, "\"")[0];
    path.split('L')
        .map(|place| place.split_once(' ').unwrap())
        .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
        .collect()
}

#[test]
fn every_point_is_there_and_in_order() {
    let values: Vec<f64> = (0..200).map(|n| (f64::from(n) / 200.0).powi(2)).collect();
    let points = values.iter().enumerate().map(|(n, &y)| point(n as f64, y)).collect();
    let svg = lines(vec![named("many", points), named("few", vec![point(0.0, 0.5), point(199.0, 0.25)])]);
    let places = path(&svg, "curve s0 dash0");
    assert_eq!(places.len(), 200);
    assert!(
        places.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 >= two[1].1),
        "right is more, up is more"
    );
    // The y axis of both is one: 0.5 is twice as far above the axis as 0.25.
    let few = path(&svg, "curve s1 dash1");
    let base = places[0].1;
    assert!(((base - few[0].1) / (base - few[1].1) - 2.0).abs() < 0.01, "{few:?}");
    assert!(svg.contains("many: ") && svg.contains("few: 0: 0.5; 199: 0.25"), "the data in words");
}

#[test]
fn few_points_have_whiskers_and_many_have_a_band() {
    let with = |count: i32| {
        let points =
            (0..count).map(|n| LinePoint { x: f64::from(n), y: 0.5, interval: Some((0.25, 0.75)) }).collect();
        lines(vec![named("a", points)])
    };
    let (few, many) = (with(5), with(100));
    assert_eq!((few.matches("class=\"whisker").count(), few.matches("class=\"band").count()), (5, 0));
    assert_eq!((many.matches("class=\"whisker").count(), many.matches("class=\"band").count()), (0, 1));
    assert!(few.contains("0: 0.5 (0.25 to 0.75)"));
    assert!(few.matches("class=\"mark").count() == 5 && many.matches("class=\"mark").count() < 12);
}

#[test]
fn a_gap_parts_the_line_and_nothing_else_is_lost() {
    let points = vec![
        point(0.0, 0.1),
        point(1.0, 0.2),
        point(2.0, f64::NAN),
        point(f64::INFINITY, 0.3),
        point(4.0, 0.4),
        LinePoint { x: 5.0, y: 0.5, interval: Some((f64::NAN, 0.6)) },
    ];
    let svg = lines(vec![named("parted", points)]);
    assert_eq!((svg.matches("class=\"curve").count(), svg.matches("class=\"mark").count()), (2, 4));
    assert_eq!(svg.matches("class=\"whisker").count(), 0);
}

#[test]
fn nothing_at_all_says_so() {
    for series in
        [vec![], vec![named("", vec![])], vec![named("a", vec![point(f64::NAN, 1.0)]), named("b", vec![])]]
    {
        assert!(lines(series).contains(">no data</text>"));
    }
    assert!(drawn(|out| Columns::default().draw(out)).contains(">no data</text>"));
    assert!(drawn(|out| ProfilePlot::default().draw(out)).contains(">no data</text>"));
    lines(vec![
        named("one point", vec![point(3.0, 3.0)]),
        named("huge", vec![point(1e99, -1e99), point(1e300, 0.0)]),
    ]);
}

#[test]
fn foreign_names_are_harmless_and_found_in_the_legend() {
    let svg = lines(vec![named(HOSTILE, vec![point(0.0, 1.0)]), named("other", vec![point(1.0, 0.0)])]);
    assert_eq!(between(&svg, "class=\"key\"", "</text>").len(), 2);
    let bins = vec![Bin { label: HOSTILE.to_owned(), values: vec![1.0, f64::NAN, 3.0] }];
    let series = vec![HOSTILE.to_owned(), "b".to_owned()];
    let columns = Columns { title: HOSTILE, x_label: HOSTILE, y_label: HOSTILE, series, bins };
    let svg = drawn(|out| columns.draw(out));
    assert_eq!(svg.matches("<path class=\"column").count(), 1 + 2, "one column, two samples in the legend");
    let impulses = vec![Impulse { place: 3.0, weight: 2.0, name: HOSTILE.to_owned() }];
    drawn(|out| {
        ProfilePlot { title: HOSTILE, impulses: impulses.clone(), ..ProfilePlot::default() }.draw(out)
    });
    let mut bars = String::new();
    elapsed(&mut bars, HOSTILE, &[(HOSTILE.to_owned(), 2.0), ("b".to_owned(), f64::NAN)]).unwrap();
    check_well_formed(&format!("<!DOCTYPE html>{bars}"));
    assert!(!bars.contains("<script") && !bars.contains("NaN"));
}

#[test]
fn columns_are_as_high_as_their_values() {
    let bins =
        (0..256).map(|n| Bin { label: n.to_string(), values: vec![f64::from(n % 7) * 100.0] }).collect();
    let columns = Columns { title: "t", x_label: "bin", y_label: "n", series: vec!["a".to_owned()], bins };
    let svg = drawn(|out| columns.draw(out));
    let heights: Vec<f64> = between(&svg, "<path class=\"column s0 fill0\" d=\"M", "\"")
        .iter()
        .map(|path| path.split('v').nth(1).unwrap().split('h').next().unwrap().parse().unwrap())
        .collect();
    // Bins with nothing in them have no column.
    assert_eq!(heights.len(), (0..256).filter(|n| n % 7 > 0).count());
    assert!((0..6).all(|n| (heights[n] / heights[0] - (n + 1) as f64).abs() < 0.05), "{:?}", &heights[..6]);
    let labels: Vec<&str> = between(&svg, "class=\"tick\"", "</text>");
    assert!((6..=32).contains(&labels.len()), "labels at even steps: {labels:?}");
}

#[test]
fn impulses_keep_the_longest_of_those_that_share_a_stroke() {
    let impulses: Vec<Impulse> = (0..50_000)
        .map(|n| Impulse {
            place: f64::from(n),
            weight: if n == 25_001 { 9.0 } else { 1.0 },
            name: String::new(),
        })
        .collect();
    let profile = ProfilePlot { title: "t", impulses, low: Some(2.0), ..ProfilePlot::default() };
    let svg = drawn(|out| profile.draw(out));
    assert!(svg.len() < 60_000, "{}", svg.len());
    let used = between(&svg, "class=\"impulse\" d=\"", "\"")[0];
    assert_eq!(used.matches('M').count(), 1, "the one at or above the lowest weight used");
    assert!(between(&svg, "class=\"impulse faint\" d=\"", "\"")[0].matches('M').count() > 1000);
    assert!(svg.contains("lowest weight used 2"));
}

#[test]
fn ticks_never_touch() {
    let ticks = (0..400).map(f64::from).collect();
    let series = vec![named("a", vec![point(0.0, 0.0), point(400.0, 1.0)])];
    let plot = Lines { title: "t", series, x_ticks: Some(ticks), ..Lines::default() };
    let svg = drawn(|out| plot.draw(out));
    let places: Vec<f64> =
        between(&svg, "class=\"tick\" x=\"", "\"").iter().map(|place| place.parse().unwrap()).collect();
    assert!(places.len() > 5 && places.windows(2).all(|two| two[1] - two[0] > 12.0), "{places:?}");
}

#[test]
fn all_that_is_drawn_has_a_style() {
    let bounded = LinePoint { x: 1.0, y: 1.0, interval: Some((0.5, 1.5)) };
    let long = (0..50).map(|n| LinePoint { x: f64::from(n), ..bounded }).collect();
    let series = (0..8).map(|n| named(&n.to_string(), vec![bounded])).chain([named("long", long)]).collect();
    let names = (0..8).map(|n| n.to_string()).collect();
    let bins = vec![Bin { label: "a".to_owned(), values: vec![1.0; 8] }];
    let columns = Columns { series: names, bins, ..Columns::default() };
    let impulse = |weight| Impulse { place: weight, weight, name: String::new() };
    let profile =
        ProfilePlot { impulses: vec![impulse(1.0), impulse(3.0)], low: Some(2.0), ..ProfilePlot::default() };
    let svg = lines(series) + &drawn(|out| columns.draw(out)) + &drawn(|out| profile.draw(out));
    let styles = format!("{STYLE}{}", include_str!("../style.css"));
    for class in between(&svg, "class=\"", "\"").iter().flat_map(|classes| classes.split(' ')) {
        // A solid line needs no style of its own.
        let has_rule = [' ', ','].iter().any(|end| styles.contains(&format!(".{class}{end}")));
        assert!(class == "dash0" || has_rule, "{class}");
    }
}
