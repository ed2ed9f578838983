"""What users write, for the type checkers in their strict mode. Nothing here is run."""

from pathlib import Path

import lookalike as la


def deduplicated(rows: list[dict[str, str]]) -> list[str]:
    result: la.Result = la.dedup(rows, text="body", id="url", threshold=0.8, keep=["longest"], features={"shingle": 3})
    removed: la.Table = result.removed
    print(result.report["kept"], len(removed), removed.column_names, removed.to_polars().height)
    return [str(row["url"]) for row in result.kept]


def remembered(folder: Path) -> bool:
    recipe = la.Recipe("minhash", threshold=0.7)
    with la.Index.create(folder, recipe) as index:
        index.add({"id": 1, "text": "one"}, policy="keep-best")
        answer = index.check("one")
        removed: int = index.remove([1, "two"])
        return bool(answer["verdict"] == "new") and removed == 1


def compared() -> str:
    comparison: la.Comparison = la.compare("one", "two")
    scheme: str = la.Signer(la.Recipe("simhash")).scheme
    try:
        la.dedup("nowhere.jsonl", output="deduped", memory="4GB")
    except la.LookalikeError as error:
        return str(error) + scheme
    return str(comparison["identical"])


def everything_else() -> None:
    found = la.scan("folder")
    documents = la.extract("file.pdf")
    figures = la.evaluate("corpus.jsonl", exact="jaccard:0.8")
    print(found, documents, figures, la.methods(), la.lexicon.show(), la.kernels.candidates([]))
