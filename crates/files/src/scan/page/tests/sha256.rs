//! SHA-256 as browsers compute it over a script, to check the digest that the policy names.

pub fn base64_digest(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digest = digest(text.as_bytes());
    let groups = digest.chunks(3).map(|group| {
        let bits = (0..3).fold(0, |bits, place| bits << 8 | u32::from(*group.get(place).unwrap_or(&0)));
        let letter = |place: usize| match place <= group.len() {
            true => LETTERS[(bits >> (18 - 6 * place) & 63) as usize] as char,
            false => '=',
        };
        String::from_iter([letter(0), letter(1), letter(2), letter(3)])
    });
    groups.collect()
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    let primes: Vec<u32> = (2..312).filter(|n| (2..*n).all(|divisor| n % divisor != 0)).collect();
    // The first 32 bits of the fraction of a root, found in whole numbers.
    let fraction = |prime: u32, power: u32| {
        let wanted = u128::from(prime) << (32 * power);
        let mut root = 0u128;
        for bit in (0..40).rev() {
            let next = root | 1 << bit;
            if next.pow(power) <= wanted {
                root = next;
            }
        }
        root as u32
    };
    let constants: Vec<u32> = primes.iter().take(64).map(|&prime| fraction(prime, 3)).collect();
    let mut state: Vec<u32> = primes.iter().take(8).map(|&prime| fraction(prime, 2)).collect();
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((bytes.len() + 9).div_ceil(64) * 64 - 8, 0);
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks(64) {
        let words = block.chunks(4).map(|word| u32::from_be_bytes(word.try_into().unwrap()));
        let mut words: Vec<u32> = words.collect();
        for i in 16..64 {
            let (a, b) = (words[i - 15], words[i - 2]);
            let a = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
            let b = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
            words.push([words[i - 16], a, words[i - 7], b].into_iter().fold(0, u32::wrapping_add));
        }
        let mut now = state.clone();
        for (word, constant) in words.iter().zip(&constants) {
            let (a, e) = (now[0], now[4]);
            let choice = e & now[5] ^ !e & now[6];
            let majority = a & now[1] ^ a & now[2] ^ now[1] & now[2];
            let sum_a = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let sum_e = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let first = [now[7], sum_e, choice, *constant, *word].into_iter().fold(0, u32::wrapping_add);
            now.rotate_right(1);
            now[4] = now[4].wrapping_add(first);
            now[0] = first.wrapping_add(sum_a).wrapping_add(majority);
        }
        for (value, next) in state.iter_mut().zip(now) {
            *value = value.wrapping_add(next);
        }
    }
    let bytes: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
    bytes.try_into().unwrap()
}

#[test]
fn is_sha_256() {
    // Of the standard: "abc".
    assert_eq!(base64_digest("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}
