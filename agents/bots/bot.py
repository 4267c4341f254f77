#!/usr/bin/env python3
"""A bot for agents/PROTOCOL.md: it wins when it can, claims what it can, and discards what fits least."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        answer = {"name": "example bot 例", "protocol": 1}
    elif "move" in message:
        move = message["move"]
        hand = move["hand"].upper()  # a small tile and its large twin go together
        discards = [text for text in move["legal"] if text.startswith("discard")]
        claims = [text for text in move["legal"] if not text.startswith("pass")]
        if discards:
            choice = min(discards, key=lambda text: hand.count(text[-1].upper()))
        else:
            choice = claims[0]
        answer = {"action": choice}
    elif "quit" in message:
        break
    else:
        continue  # {"end": …}, and whatever later versions will tell
    print(json.dumps(answer), flush=True)
