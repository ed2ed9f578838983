//! A route: its path, the required role, its handler and its description.

use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};

use crate::access::Role;
use crate::openapi::{Describe, Operation};
use crate::state::App;

pub struct Route {
    pub method: Method,
    pub path: &'static str,
    /// `None`: anybody may use it, without a token.
    pub needs: Option<Role>,
    pub about: Operation,
    pub handler: MethodRouter<App>,
}

impl Route {
    pub fn get<H: DescribedHandler<T>, T: 'static>(
        path: &'static str,
        handler: H,
        about: Operation,
    ) -> Route {
        let about = H::describe(about);
        let handler = on(MethodFilter::GET, handler);
        Route { method: Method::GET, path, needs: Some(Role::Read), handler, about }
    }

    pub fn post<H: DescribedHandler<T>, T: 'static>(
        path: &'static str,
        handler: H,
        about: Operation,
    ) -> Route {
        let about = H::describe(about);
        let handler = on(MethodFilter::POST, handler);
        Route { method: Method::POST, path, needs: Some(Role::Write), handler, about }
    }

    pub fn delete<H: DescribedHandler<T>, T: 'static>(
        path: &'static str,
        handler: H,
        about: Operation,
    ) -> Route {
        let about = H::describe(about);
        let handler = on(MethodFilter::DELETE, handler);
        Route { method: Method::DELETE, path, needs: Some(Role::Write), handler, about }
    }

    pub fn needs(mut self, role: Role) -> Route {
        self.needs = Some(role);
        self
    }

    /// For monitoring, which reveals nothing about documents.
    pub fn open_to_all(mut self) -> Route {
        self.needs = None;
        self
    }
}

/// A handler whose arguments and answer all describe themselves. `T` is how axum distinguishes handlers with
/// different arguments.
pub trait DescribedHandler<T>: Handler<T, App> {
    fn describe(about: Operation) -> Operation;
}

impl<F, Fut, Answer> DescribedHandler<((),)> for F
where
    F: Handler<((),), App> + FnOnce() -> Fut,
    Fut: Future<Output = Answer>,
    Answer: Describe,
{
    fn describe(about: Operation) -> Operation {
        about.with::<Answer>()
    }
}

macro_rules! described_handler {
    ($($argument:ident),+) => {
        impl<F, Fut, Answer, M, $($argument),+> DescribedHandler<(M, $($argument),+,)> for F
        where
            F: Handler<(M, $($argument),+,), App> + FnOnce($($argument),+) -> Fut,
            Fut: Future<Output = Answer>,
            Answer: Describe,
            $($argument: Describe),+
        {
            fn describe(about: Operation) -> Operation {
                about$(.with::<$argument>())+.with::<Answer>()
            }
        }
    };
}

described_handler!(A);
described_handler!(A, B);
described_handler!(A, B, C);
described_handler!(A, B, C, D);
