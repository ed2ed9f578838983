use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

fn numbers() -> impl Fn() -> usize {
    let next = AtomicUsize::new(0);
    move || next.fetch_add(1, Ordering::Relaxed)
}

#[test]
fn an_error_or_a_panic_of_one_thread_is_an_error_of_all() {
    let number = numbers();
    let mut all = try_on_threads(3, |_| Ok(number())).unwrap();
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2]);
    let failed = try_on_threads(3, |_| if number() == 4 { Err(Error::input("bad")) } else { Ok(()) });
    assert!(matches!(failed, Err(Error::Input(_))));
    let panicked = try_on_threads(2, |_| if number() == 7 { panic!("on purpose") } else { Ok(()) });
    assert!(matches!(panicked, Err(Error::Internal(_))));
    assert_eq!(try_on_threads(0, |_| Ok(1)).unwrap(), [1], "there is always this thread");
}

#[test]
fn when_one_fails_the_others_are_asked_to_stop() {
    let number = numbers();
    // Without a stop they would wait for ever.
    let failed = try_on_threads(3, |stop| match number() {
        0 => Err::<(), _>(Error::Cancelled),
        _ => {
            while !stop.wait(Duration::from_secs(60)) {}
            Err(Error::input("came later"))
        }
    });
    assert!(matches!(failed, Err(Error::Cancelled)), "{failed:?}");
    let panicked = try_on_threads(2, |stop| match number() {
        3 => panic!("on purpose"),
        _ => {
            while !stop.wait(Duration::from_secs(60)) {}
            Ok(())
        }
    });
    assert!(matches!(panicked, Err(Error::Internal(_))));
}

#[test]
fn a_stop_stays_asked_for() {
    let stop = Stop::default();
    assert!(!stop.is_set() && !stop.wait(Duration::ZERO));
    stop.set();
    assert!(stop.is_set() && stop.wait(Duration::from_secs(3600)));
}

#[test]
fn results_are_in_the_order_of_the_items() {
    let expected: Vec<usize> = (0..50).map(|number| number * number).collect();
    for threads in [0, 1, 3, 80] {
        assert_eq!(spread(threads, 0..50, |number| number * number), expected);
        let states = AtomicUsize::new(0);
        let state = || states.fetch_add(1, Ordering::Relaxed);
        assert_eq!(try_spread(threads, 0..50, state, |_, number| Ok(number * number)).unwrap(), expected);
        assert_eq!(states.into_inner(), threads.max(1), "one state for each thread");
        let mut seen = Vec::new();
        let sink = |square| {
            seen.push(square);
            Ok(())
        };
        try_in_order(threads, taken(50), |number| Ok(number * number), sink).unwrap();
        assert_eq!(seen, expected);
        assert!(spread(threads, 0..0, |number: usize| number).is_empty());
    }
}

#[test]
fn after_a_failure_no_item_is_begun() {
    let begun = AtomicUsize::new(0);
    let work = |_: &mut (), number: usize| {
        begun.fetch_add(1, Ordering::Relaxed);
        if number == 7 { Err(Error::input("seven")) } else { Ok(number) }
    };
    let failed = try_spread(4, 0..100_000, || (), work).unwrap_err();
    assert_eq!(failed.to_string(), "seven");
    assert!(begun.into_inner() < 100_000);
}

/// Numbers from 0 on, one at a time.
fn taken(count: usize) -> impl FnMut() -> Result<Option<usize>> + Send {
    let mut numbers = 0..count;
    move || Ok(numbers.next())
}

#[test]
fn an_error_while_taking_items_comes_after_the_items_before_it() {
    for threads in [1, 4] {
        let mut calls = 0;
        let next = || {
            calls += 1;
            if calls > 7 { Err(Error::input("no more")) } else { Ok(Some(calls)) }
        };
        let mut seen = Vec::new();
        let sink = |number: usize| {
            seen.push(number);
            Ok(())
        };
        let failed = try_in_order(threads, next, Ok, sink).unwrap_err();
        assert_eq!((failed.to_string().as_str(), seen), ("no more", vec![1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(calls, 8, "nothing is taken after an error");
    }
}

#[test]
fn the_first_error_in_order_stops_the_rest() {
    let work = |number| if number == 7 { Err(Error::input("seven")) } else { Ok(number) };
    let mut seen = 0;
    let sink = |_| {
        seen += 1;
        Ok(())
    };
    let error = try_in_order(4, taken(100), work, sink).unwrap_err();
    assert_eq!((seen, error.to_string().as_str()), (7, "seven"));
    // Other threads wait for their turn behind the one that panics.
    let panics = |number| if number == 7 { panic!("on purpose") } else { Ok(number) };
    assert!(matches!(try_in_order(4, taken(100), panics, |_| Ok(())), Err(Error::Internal(_))));
    let sink = |number| if number == 9 { panic!("on purpose") } else { Ok(()) };
    assert!(matches!(try_in_order(4, taken(100), Ok, sink), Err(Error::Internal(_))));
}

#[test]
fn two_things_are_done_at_once() {
    let met = std::sync::Barrier::new(2);
    let (first, second) = try_both(|| Ok(met.wait().is_leader()), || Ok(met.wait().is_leader())).unwrap();
    assert_ne!(first, second);
    let failed = try_both(|| Err::<(), _>(Error::Gone), || Err::<(), _>(Error::Cancelled));
    assert!(matches!(failed, Err(Error::Gone)));
    assert!(matches!(
        try_both(|| Ok(()), || -> Result<()> { panic!("on purpose") }),
        Err(Error::Internal(_))
    ));
}
