//! Which method of an ensemble found what.

use std::fmt::{self, Write};

use super::MethodView;
use crate::text::{count, escaped};

pub fn table(out: &mut String, methods: &[MethodView]) -> fmt::Result {
    if methods.is_empty() {
        return Ok(());
    }
    out.write_str(
        r#"<section aria-labelledby="methods">
<h2 id="methods">Who found what</h2>
<div class="scroll"><table>
<thead><tr><th>Method</th><th>Pairs proposed</th><th>Verified</th><th>Found by no other</th><th>Missed by it alone</th></tr></thead>
<tbody>
"#,
    )?;
    for found in methods {
        let numbers = [found.proposed, found.verified, found.alone, found.missed].map(count);
        write!(out, "<tr><td>{}</td>", escaped(&found.method))?;
        for number in numbers {
            write!(out, "<td class=\"number\">{number}</td>")?;
        }
        out.write_str("</tr>\n")?;
    }
    out.write_str("</tbody>\n</table></div>\n</section>\n")
}
