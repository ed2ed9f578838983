//! Who is at the other end: the address of a connection, or what a trusted proxy says.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName};
use lookalike::{Error, Result};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address that a connection came from, put beside each of its requests.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub IpAddr);

/// Proxies whose word about the client is believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<Network>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    fn parse(text: &str) -> Option<Network> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse().ok()?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        (bits <= most).then_some(Network { address, bits })
    }

    fn has(&self, address: IpAddr) -> bool {
        let (own, other) = (as_bits(self.address), as_bits(address));
        let shift = if self.address.is_ipv4() { 32 } else { 128 } - u32::from(self.bits);
        self.address.is_ipv4() == address.is_ipv4() && (own ^ other).checked_shr(shift).unwrap_or(0) == 0
    }
}

fn as_bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

impl TrustedProxies {
    /// Addresses and networks, parted by commas.
    pub fn parse(text: &str) -> Result<TrustedProxies> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let network = |part: &str| {
            let wrong = || Error::config(format!("`{part}` is no address or network such as 10.0.0.0/8"));
            Network::parse(part).ok_or_else(wrong)
        };
        parts.map(network).collect::<Result<_>>().map(TrustedProxies)
    }

    /// Whether nobody is.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this is one of them.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.has(address.to_canonical()))
    }

    /// The client of a request. Each proxy appends whom it heard from, so the last that is no trusted proxy is the client;
    /// what stands before it anybody could have written.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let named: Vec<&str> = headers
            .get_all(FORWARDED_FOR)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        for name in named.iter().rev() {
            if !self.trusts(client) {
                break;
            }
            match name.trim().parse::<IpAddr>() {
                Ok(address) => client = address.to_canonical(),
                Err(_) => break,
            }
        }
        client
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &str, peer: &str, headers: &[&str]) -> String {
        let mut map = HeaderMap::new();
        for value in headers {
            map.append(FORWARDED_FOR, value.parse().unwrap());
        }
        TrustedProxies::parse(trusted).unwrap().client(peer.parse().unwrap(), &map).to_string()
    }

    #[test]
    fn only_what_trusted_proxies_say_is_believed() {
        assert_eq!(client("", "10.0.0.1", &["1.2.3.4"]), "10.0.0.1", "nobody is trusted");
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &["1.2.3.4"]), "1.2.3.4");
        assert_eq!(client("10.0.0.0/8", "11.0.0.1", &["1.2.3.4"]), "11.0.0.1", "another peer");
        assert_eq!(
            client("10.0.0.0/8", "10.0.0.1", &["6.6.6.6, 1.2.3.4"]),
            "1.2.3.4",
            "the client wrote the first"
        );
        assert_eq!(
            client("10.0.0.0/8", "10.0.0.1", &["6.6.6.6", "1.2.3.4, 10.9.9.9"]),
            "1.2.3.4",
            "two proxies"
        );
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &["nonsense"]), "10.0.0.1");
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("::1, fd00::/8", "fd12::3", &["2001:db8::1"]), "2001:db8::1");
        assert_eq!(client("127.0.0.1", "::ffff:127.0.0.1", &["1.2.3.4"]), "1.2.3.4", "a mapped address");
        assert_eq!(client("0.0.0.0/0", "8.8.8.8", &["1.2.3.4"]), "1.2.3.4");
    }

    #[test]
    fn what_is_no_network_is_told() {
        for wrong in ["10.0.0.0/33", "::/129", "10.0.0", "host", "10.0.0.0/x"] {
            assert!(TrustedProxies::parse(wrong).unwrap_err().to_string().contains("no address"), "{wrong}");
        }
        assert_eq!(TrustedProxies::parse(" , ").unwrap(), TrustedProxies::default());
    }
}
