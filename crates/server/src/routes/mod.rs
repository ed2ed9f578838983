//! The table of all routes.
//!
//! The router and the OpenAPI document are both built from [`all`], so neither can miss a route. A new part of the
//! service is one more module with a function `routes`.

mod about;
mod admin;
mod answer;
mod bulk;
mod clusters;
mod decisions;
mod documents;
mod due;
mod empty_body;
mod extract;
mod health;
mod jobs;
mod keepers;
mod lexicons;
mod mirrors;
mod page;
mod pairs;
mod removals;
mod review;
mod review_batches;
mod route;
mod search;
mod survey;

use std::sync::Arc;

use axum::middleware::from_fn_with_state;
use axum::response::Redirect;
use axum::routing::get;
use axum::{Extension, Router};

use self::route::Route;
use crate::error::ApiError;
use crate::guard::{RouteGuard, admit};
use crate::layers;
use crate::openapi::{self, Document};
use crate::state::App;

fn all() -> Vec<Route> {
    let parts = [
        documents::routes(),
        bulk::routes(),
        clusters::routes(),
        due::routes(),
        mirrors::routes(),
        pairs::routes(),
        decisions::routes(),
        keepers::routes(),
        review::routes(),
        review_batches::routes(),
        survey::routes(),
        removals::routes(),
        about::routes(),
        lexicons::routes(),
        admin::routes(),
        jobs::routes(),
        search::routes(),
        health::routes(),
        page::routes(),
    ];
    parts.into_iter().flatten().collect()
}

/// The OpenAPI document of all routes.
pub fn document() -> Document {
    let all = all();
    openapi::document(all.iter().map(|route| (&route.method, route.path, route.needs, &route.about)))
}

/// The whole service as a router.
pub fn router(app: &App) -> Router {
    let mut router = Router::new();
    for route in all() {
        let handler = match route.needs {
            None => route.handler,
            Some(needs) => {
                let guard = RouteGuard { app: app.clone(), needs };
                route.handler.route_layer(from_fn_with_state(guard, admit))
            }
        };
        router = router.route(route.path, handler);
    }
    let prefix = &app.config.prefix;
    if !prefix.is_empty() {
        // The page finds everything beside itself, which is elsewhere without the slash.
        let page = format!("{prefix}/");
        router = router.route(prefix, get(async move || Redirect::permanent(&page)));
    }
    let router = router
        .layer(Extension(Arc::new(document())))
        .method_not_allowed_fallback(async || ApiError::wrong_method())
        .fallback(async || ApiError::no_such_route());
    layers::wrap(router, app).with_state(app.clone())
}
