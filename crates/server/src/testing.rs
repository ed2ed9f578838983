//! What only shows when the inside is held still: a full queue, a panic, an answer that takes too
//! long.

use lookalike::Session;
use std::sync::mpsc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::routing::get;
use http_body_util::BodyExt;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use lookalike::files::Program;
use lookalike::index::Index;
use lookalike::{Recipe, Registry};
use serde_json::Value;

use crate::access::TokenStore;
use crate::config::Config;
use crate::state::App;
use crate::{layers, routes};

fn app(configure: impl FnOnce(&mut Config)) -> (App, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::with_built_ins();
    let recipe = Recipe::standard(&registry).unwrap();
    let index = Index::create(&folder.path().join("index"), &recipe, registry).unwrap();
    let mut config = Config { data: folder.path().to_owned(), ..Config::default() };
    configure(&mut config);
    let tokens = TokenStore::open(folder.path()).unwrap();
    let program = Program { path: "sh".into(), arguments: vec!["-c".to_owned(), "exit 1".to_owned()] };
    let session = Session::default().reading_files_by(program);
    (App::new(&session, config, index, tokens).unwrap(), folder)
}

async fn call(router: &Router, path: &str) -> (u16, Option<String>, Value) {
    let request = Request::get(path).header("host", "localhost").body(Body::empty()).unwrap();
    let response = TowerToHyperService::new(router.clone()).call(request).await.unwrap();
    let status = response.status().as_u16();
    let retry = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, retry, serde_json::from_slice(&body).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_is_told_at_once_and_the_rest_goes_on() {
    let (app, _folder) = app(|config| (config.workers, config.queue) = (1, 1));
    let router = routes::router(&app);
    let (release, released) = mpsc::channel::<()>();
    let ours = app.clone();
    let work = tokio::spawn(async move { ours.work.run(move || released.recv().is_ok()).await });
    while app.work.running() == 0 {
        tokio::task::yield_now().await;
    }
    let theirs = router.clone();
    let waiting = tokio::spawn(async move { call(&theirs, "/api/stats").await });
    while app.work.waiting() == 0 {
        tokio::task::yield_now().await;
    }
    let (status, retry, body) = call(&router, "/api/stats").await;
    assert_eq!((status, retry.as_deref(), &body["error"]["code"]), (503, Some("1"), &Value::from("busy")));
    assert_eq!(call(&router, "/healthz").await.0, 200, "what needs no work is answered");
    release.send(()).unwrap();
    assert!(work.await.unwrap().unwrap());
    assert_eq!(waiting.await.unwrap().0, 200, "who waited gets the answer");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_is_an_answer_that_tells_nothing() {
    async fn fails() {
        panic!("a secret");
    }
    let (app, _folder) = app(|_| {});
    let router = layers::wrap(Router::new().route("/fails", get(fails)), &app).with_state(app.clone());
    let (status, _, body) = call(&router, "/fails").await;
    assert_eq!((status, &body["error"]["code"]), (500, &Value::from("internal")));
    assert!(!body.to_string().contains("secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_takes_too_long_is_given_up() {
    let (app, _folder) = app(|config| {
        (config.workers, config.request_time) = (1, Duration::from_millis(20));
    });
    let (release, released) = mpsc::channel::<()>();
    let ours = app.clone();
    let work = tokio::spawn(async move { ours.work.run(move || released.recv().is_ok()).await });
    while app.work.running() == 0 {
        tokio::task::yield_now().await;
    }
    let (status, retry, body) = call(&routes::router(&app), "/api/stats").await;
    assert_eq!((status, &body["error"]["code"]), (503, &Value::from("timeout")));
    assert!(retry.is_some());
    assert_eq!(app.work.waiting(), 0, "who gave up waits no longer");
    release.send(()).unwrap();
    assert!(work.await.unwrap().unwrap());
}
