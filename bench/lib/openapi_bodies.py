"""Bodies that are no JSON, for schemathesis (see bench/openapi): it can make none by itself."""

import json

import schemathesis
from hypothesis import strategies as st

WORDS = st.lists(st.sampled_from("the ferry was late again because of fog on lake".split()), max_size=40).map(" ".join)
ANY_TEXT = st.one_of(WORDS, st.text(max_size=60))
ID = st.one_of(st.integers(-5, 2**65), st.text(max_size=8), st.none(), st.booleans())
DOCUMENT = st.fixed_dictionaries({"text": ANY_TEXT}, optional={"id": ID, "labels": st.lists(st.text(max_size=4), max_size=2)})
LINE = st.one_of(DOCUMENT.map(json.dumps), DOCUMENT.map(json.dumps), st.text(max_size=20)).map(lambda line: line.encode("utf-8", "replace"))
LINES = st.one_of(st.lists(LINE, max_size=5).map(b"\n".join), st.binary(max_size=200))


@st.composite
def messages(draw) -> bytes:
    head = draw(st.sampled_from([b"", b"Subject: late ferry\r\n", b"Content-Type: multipart/mixed; boundary=x\r\n", b"Content-Transfer-Encoding: base64\r\n"]))
    return head + b"From: a@example.org\r\n\r\n" + draw(LINE)


schemathesis.openapi.media_type("application/x-ndjson", LINES, aliases=["application/ndjson", "application/jsonl", "application/x-jsonlines"])
schemathesis.openapi.media_type("message/rfc822", st.one_of(messages(), st.binary(max_size=200)))
schemathesis.openapi.media_type(
    "application/vnd.apache.parquet", st.one_of(st.just(b"PAR1"), st.binary(max_size=200)), aliases=["application/x-parquet"]
)
schemathesis.openapi.media_type("text/csv", st.one_of(st.just(b"a,b,label\nd1,d2,1\n"), st.binary(max_size=200)))
