"""Reads requests from standard input, a JSON object a line: {"secret", "headers", "body"}; writes an answer a line."""

import json
import sys

from receive import receive

seen: set[str] = set()


def remember(identity: str) -> bool:
    new = identity not in seen
    seen.add(identity)
    return new


for line in sys.stdin:
    request = json.loads(line)
    body = request["body"].encode()
    print(receive(request["secret"], request["headers"], body, remember), flush=True)
