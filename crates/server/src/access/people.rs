//! People whom a proxy has let in, by OpenID Connect or otherwise: it names them and their groups in headers, and a
//! setting says what a group may do.

use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName};
use lookalike::index::View;
use lookalike::{Error, Result};

use super::{Caller, Role};
use crate::error::{ApiError, ApiResult};

const MOST_NAME: usize = 200;
const ANYBODY: &str = "*";

/// The headers of a proxy, and who may do what. Whether a request comes from the proxy is for others to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct People {
    /// The header that has the name of a person; `None`: no proxy names any.
    pub user: Option<HeaderName>,
    /// The one that has their groups, parted by commas.
    pub groups: Option<HeaderName>,
    roles: Vec<GroupRole>,
}

/// What the people of a group, or one person, may do.
#[derive(Clone, Debug, PartialEq)]
struct GroupRole {
    name: String,
    role: Role,
    labels: Option<Vec<String>>,
}

impl People {
    /// A header by its name.
    pub fn header(name: &str) -> Result<HeaderName> {
        HeaderName::from_str(name).map_err(|_| Error::config(format!("`{name}` is no name of a header")))
    }

    /// Reads `ops=admin, desk=write:news+sport, *=read`: a group, a person or `*` for anybody, their role, and the labels
    /// that they see.
    pub fn set_roles(&mut self, text: &str) -> Result<()> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        self.roles = parts.map(GroupRole::parse).collect::<Result<_>>()?;
        Ok(())
    }

    /// Refuses what could never let anybody in.
    pub fn check(&self) -> Result<()> {
        match (&self.user, self.roles.is_empty()) {
            (Some(_), true) => Err(Error::config(
                "user_header lets nobody in without group_roles, such as group_roles = 'ops=admin, *=read'",
            )),
            (None, false) => {
                Err(Error::config("group_roles needs user_header: the header in which a proxy names people"))
            }
            (None, true) if self.groups.is_some() => Err(Error::config("groups_header needs user_header")),
            _ => Ok(()),
        }
    }

    /// Whoever the proxy names; `None` if it names nobody.
    pub fn caller(&self, headers: &HeaderMap) -> Option<ApiResult<Caller>> {
        let mut names = headers.get_all(self.user.as_ref()?).iter();
        let name = names.next()?;
        // Two names are one of the proxy and one that somebody slipped in.
        let name = name.to_str().ok().map(str::trim).filter(|name| {
            (1..=MOST_NAME).contains(&name.len()) && !name.contains(',') && names.next().is_none()
        });
        let Some(name) = name else { return Some(Err(ApiError::unauthorized())) };
        let lines = self.groups.iter().flat_map(|groups| headers.get_all(groups));
        let groups: Vec<&str> = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(','))
            .map(str::trim)
            .collect();
        let is_meant = |known: &&GroupRole| {
            known.name == ANYBODY || known.name == name || groups.contains(&known.name.as_str())
        };
        let found = self.roles.iter().find(is_meant);
        Some(found.map_or_else(
            || Err(ApiError::forbidden("none of your groups may use this service")),
            |known| {
                let view = known.labels.clone().map_or(View::All, View::Labels);
                Ok(Caller { name: name.to_owned(), role: known.role, view, ..Caller::local() })
            },
        ))
    }
}

impl GroupRole {
    fn parse(part: &str) -> Result<GroupRole> {
        let wrong =
            || Error::config(format!("`{part}` is not of the form GROUP=ROLE or GROUP=ROLE:LABEL+LABEL"));
        let (name, rest) = part.rsplit_once('=').ok_or_else(wrong)?;
        let (role, labels) = match rest.split_once(':') {
            Some((role, labels)) => (role, Some(labels)),
            None => (rest, None),
        };
        let (name, role) = (name.trim().to_owned(), Role::from_name(role.trim())?);
        let labels: Option<Vec<String>> =
            labels.map(|labels| labels.split('+').map(|label| label.trim().to_owned()).collect());
        if name.is_empty() || labels.iter().flatten().any(String::is_empty) {
            return Err(wrong());
        }
        if role == Role::Admin && labels.is_some() {
            return Err(Error::config(format!(
                "`{part}`: an admin sees all documents: leave the labels out"
            )));
        }
        Ok(GroupRole { name, role, labels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(roles: &str) -> People {
        let mut people = People {
            user: Some(HeaderName::from_static("x-user")),
            groups: Some(HeaderName::from_static("x-groups")),
            roles: Vec::new(),
        };
        people.set_roles(roles).unwrap();
        people
    }

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn the_first_that_fits_counts() {
        let people = people("ops=admin, desk=write:news+sport, ada@example.org=reviewer, *=read");
        let of = |lines: &[(&'static str, &str)]| people.caller(&headers(lines)).unwrap().unwrap();
        let caller = of(&[("x-user", "eve"), ("x-groups", "desk, ops")]);
        assert_eq!((caller.name.as_str(), caller.role, caller.view), ("eve", Role::Admin, View::All));
        let caller = of(&[("x-user", "eve"), ("x-groups", "staff"), ("x-groups", "desk")]);
        let labels = vec!["news".to_owned(), "sport".to_owned()];
        assert_eq!((caller.role, caller.view), (Role::Write, View::Labels(labels)));
        assert_eq!(of(&[("x-user", "ada@example.org")]).role, Role::Reviewer);
        assert_eq!(of(&[("x-user", "bob"), ("x-groups", "op")]).role, Role::Read);
    }

    #[test]
    fn who_is_named_twice_or_by_nothing_is_nobody() {
        let people = people("ops=admin");
        assert!(people.caller(&headers(&[("x-groups", "ops")])).is_none(), "the proxy names nobody");
        for lines in
            [&[("x-user", "")][..], &[("x-user", "eve"), ("x-user", "ada")], &[("x-user", "eve, ada")]]
        {
            assert!(people.caller(&headers(lines)).unwrap().is_err(), "{lines:?}");
        }
        assert!(people.caller(&headers(&[("x-user", "eve"), ("x-groups", "desk")])).unwrap().is_err());
        assert!(People::default().caller(&headers(&[("x-user", "eve")])).is_none());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let told = |roles: &str| People::default().set_roles(roles).unwrap_err().to_string();
        assert!(told("ops").contains("GROUP=ROLE"));
        assert!(told("=read").contains("GROUP=ROLE"));
        assert!(told("ops=king").contains("unknown role `king`"));
        assert!(told("ops=write:").contains("LABEL"));
        assert!(told("ops=admin:news").contains("an admin sees all"));
        assert!(People::header("x user").is_err());
        let nobody = People { user: Some(HeaderName::from_static("x-user")), ..People::default() };
        assert!(nobody.check().unwrap_err().to_string().contains("group_roles"));
        let mut nowhere = People::default();
        nowhere.set_roles("*=read").unwrap();
        assert!(nowhere.check().unwrap_err().to_string().contains("user_header"));
    }
}
