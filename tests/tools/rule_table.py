"""The README's table of rule sets, made from the data: `python -m tests.tools.rule_table` prints it."""

from __future__ import annotations

from typing import Any

from paohuzi_env.core.state import PATTERNS
from paohuzi_env.rules import FIELDS, LEVEL_OF, LEVELS, RUNS, UNITS, RuleSet, preset_names, rule_set


def _plain(value: Any) -> str:
    if value is None or value is False or value == {}:
        return "–"
    return "yes" if value is True else str(value)


def _pattern(rules: RuleSet, name: str) -> str:
    entry = rules.patterns.get(name)
    if entry is None or LEVELS.index(LEVEL_OF[name]) > LEVELS.index(rules.pattern_level):
        return "–"
    text = str(entry["fan"])
    if entry.get("per_extra"):
        text += f" +{entry['per_extra']}"
    if "from" in entry:
        low, high = entry["from"], entry.get("up_to")
        text += f" ({low})" if low == high else f" ({low}–{'' if high is None else high})"
    return text


def _row(rules: RuleSet, field: str) -> str:
    head, _, key = field.partition(".")
    if head == "patterns":
        return _pattern(rules, key)
    if head == "huxi":
        return "/".join(str(n) for n in rules.huxi[key].values())
    if head == "bonuses":
        return _plain(" ".join(f"{k} {n}" for k, n in rules.bonuses[key].items()) or None)
    return _plain(rules[head].get(key) if key else rules[head])


def rule_table() -> str:
    """A Markdown table: a row for each field in which presets differ, a column for each preset."""
    presets = [rule_set(name) for name in preset_names()]
    fields: list[str] = []
    for field in FIELDS:
        if field == "patterns":
            fields += [f"patterns.{name}" for name in PATTERNS if name in LEVEL_OF]
        elif field == "huxi":
            fields += [f"huxi.{name}" for name in (*UNITS, *RUNS)]
        elif field in ("joint", "lone", "multipliers", "bonuses"):
            keys = sorted({key for rules in presets for key in rules[field]})
            fields += [f"{field}.{key}" for key in keys]
        else:
            fields.append(field)
    lines = [
        "| field | " + " | ".join(rules.name for rules in presets) + " |",
        "|---" * (len(presets) + 1) + "|",
        "| hash | " + " | ".join(f"`{rules.hash[:8]}`" for rules in presets) + " |",
    ]
    for field in fields:
        cells = [_row(rules, field) for rules in presets]
        if len(set(cells)) > 1:
            lines.append(f"| `{field}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(rule_table())
