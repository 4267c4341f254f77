"""Compare the twin with a folder of frozen cases: `python -m reference.check_cases FOLDER`.

Run it from the folder that holds `reference`. The folder has `positions.jsonl` (`{"query": ...,
"answer": ...}` a line) and `games-*.phz.jsonl` (a record a line). Ends with 1 if any line differs.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .evaluate import answer, lay, read_query
from .judge import verdicts
from .replay import replay


def differs(query: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether the twin's answer is another one; any best division will do, reasons are free."""
    ours = answer(query)
    if not wanted.get("hu"):
        return set(ours) != set(wanted) or ours.get("hu") != wanted.get("hu")
    if {**ours, "groups": None} != {**wanted, "groups": None}:
        return True
    rules, hand, melds, win = read_query(query)
    return not any(
        sorted(wanted["groups"]) == list(verdict.groups)
        and {**verdict.as_answer(), "hu": True, "groups": None} == {**wanted, "groups": None}
        for verdict in verdicts(rules, *lay(rules, hand, melds, win))
    )


def main(folder: Path) -> int:
    """Print the number of lines that agree, a rule set a line, and every line that differs."""
    counts: Counter[tuple[str, str]] = Counter()
    bad = 0
    for path in sorted([*folder.glob("positions.jsonl"), *folder.glob("games-*.phz.jsonl")]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            case = json.loads(line)
            position = "query" in case
            rules = json.dumps((case["query"] if position else case)["rules"])
            if position:
                wrong = differs(case["query"], case["answer"])
                message = f"wanted {case['answer']}, twin {answer(case['query'])}" if wrong else ""
            else:
                message = "; ".join(replay(case))
                wrong = bool(message)
            counts["positions" if position else "games", rules] += not wrong
            if wrong:
                bad += 1
                print(f"{path.name}:{number}: {message}")
    for (sort, rules), agreeing in sorted(counts.items()):
        print(f"{sort} {rules}: {agreeing} agree")
    print(f"{bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
