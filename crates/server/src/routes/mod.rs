//! Every route, once: how it is reached, who may use it, what it does and how it is described.
//!
//! The router and the OpenAPI document are both made from [`all`], so neither can forget a route.
//! A further part of the service is one more module with a function `routes`.

mod about;
mod admin;
mod bulk;
mod clusters;
mod decisions;
mod documents;
mod extract;
mod health;
mod jobs;
mod keepers;
mod lexicons;
mod page;
mod pairs;
mod removals;
mod search;
mod survey;

pub use extract::LABELS;

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodFilter, MethodRouter, on};

use crate::access::{Door, Role, guard};
use crate::error::ApiError;
use crate::layers;
use crate::openapi::Operation;
use crate::state::App;

pub struct Route {
    pub method: Method,
    pub path: &'static str,
    /// Absent: anybody may use it, without a token.
    pub needs: Option<Role>,
    pub about: Operation,
    handler: MethodRouter<App>,
}

impl Route {
    pub fn get<H: Handler<T, App>, T: 'static>(path: &'static str, handler: H, about: Operation) -> Route {
        Route::new(Method::GET, path, Some(Role::Read), on(MethodFilter::GET, handler), about)
    }

    pub fn post<H: Handler<T, App>, T: 'static>(path: &'static str, handler: H, about: Operation) -> Route {
        Route::new(Method::POST, path, Some(Role::Write), on(MethodFilter::POST, handler), about)
    }

    pub fn delete<H: Handler<T, App>, T: 'static>(path: &'static str, handler: H, about: Operation) -> Route {
        Route::new(Method::DELETE, path, Some(Role::Write), on(MethodFilter::DELETE, handler), about)
    }

    pub fn needs(mut self, role: Role) -> Route {
        self.needs = Some(role);
        self
    }

    /// For what watches over the service, and says nothing of its documents.
    pub fn open_to_all(mut self) -> Route {
        self.needs = None;
        self
    }

    fn new(
        method: Method,
        path: &'static str,
        needs: Option<Role>,
        handler: MethodRouter<App>,
        about: Operation,
    ) -> Route {
        Route { method, path, needs, about, handler }
    }
}

pub fn all() -> Vec<Route> {
    let parts = [
        documents::routes(),
        bulk::routes(),
        clusters::routes(),
        pairs::routes(),
        decisions::routes(),
        keepers::routes(),
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

/// The whole service, as a value that answers requests.
pub fn router(app: &App) -> Router {
    let mut router = Router::new();
    for route in all() {
        let handler = match route.needs {
            None => route.handler,
            Some(needs) => {
                let door = Door { app: app.clone(), needs };
                route.handler.route_layer(from_fn_with_state(door, guard))
            }
        };
        router = router.route(route.path, handler);
    }
    let router = router
        .method_not_allowed_fallback(async || ApiError::wrong_method())
        .fallback(async || ApiError::no_such_route());
    layers::around(router, app).with_state(app.clone())
}
