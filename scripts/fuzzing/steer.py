"""Hooks of schemathesis: what it makes up is mostly brought to something that is there.

Otherwise nearly every request would end at the same 404. What is put where follows from what was made
up, and from the ids that answers have shown so far, so that a seed gives the same requests again, but for
those ids. A part of the requests is spoilt: nobody asks, or somebody unknown; another Content-Type, a
broken body, another method. What all requests need is not taken away by one of them.
"""

import hashlib
import json
import os
import re
import sys
from collections import defaultdict, deque
from datetime import datetime, timedelta, timezone

import schemathesis

sys.path.insert(0, os.path.dirname(__file__))
import checks  # noqa: E402, F401 - registers them

with open(os.environ["FUZZ_STEERING"], encoding="utf-8") as file:
    STEERING = json.load(file)
KNOWN = STEERING["known"]
KEPT = set(STEERING["kept"])
LEARNED = defaultdict(lambda: deque(maxlen=20))
REACHED = set()
EXPENDABLE = STEERING["expendable"]
# The segment before a parameter says what it names; two say it in another way.
SAME = {"nginx": "namespaces", "forward": "namespaces"}

IDENTIFIERS = ["alice", "mallory", "bot-7", "mallory-us", "203.0.113.9", "2001:db8::1"]
TIMES = [(datetime.now(timezone.utc) + timedelta(days=days)).isoformat() for days in (-1, 1, 30, 800)]
TAGS = ['"1"', '"2"', '"9"', '"999999"', "*", 'W/"1"', "1", '"x"', ""]
MEDIA_TYPES = ["text/plain", "application/xml", "application/json; charset=utf-16", "multipart/form-data",
               "application/x-www-form-urlencoded", "application/json;;", "application/problem+json", "json"]
METHODS = ["PATCH", "TRACE", "PROPFIND", "MKCOL"]
CREDENTIAL_HEADERS = ["Authorization", "X-API-Key", "apikey", "X-Brume-Key"]
STRANGERS = ["", "Bearer", "Bearer x", "Basic YTpi", "brume_sk_" + "A" * 43, "Bearer brume_mt_" + "A" * 43,
             "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."]


class Dice:
    """Draws that follow from what was made up."""

    def __init__(self, value):
        self._digest = hashlib.sha256(repr(value).encode("utf-8", "replace")).digest()
        self._at = 0

    def roll(self, sides):
        self._at += 1
        return int.from_bytes(hashlib.sha256(self._digest + bytes([self._at % 256])).digest()[:4], "big") % sides

    def one_of(self, values):
        return values[self.roll(len(values))]


def known(dice, segment):
    """Something that is there, or was lately; None where nothing is known."""
    segment = SAME.get(segment, segment)
    first, second = KNOWN.get(segment), LEARNED[segment]
    values = second if second and (not first or dice.roll(3) == 0) else first
    return dice.one_of(values) if values else None


@schemathesis.hook
def before_call(context, case, kwargs):
    dice = Dice([case.method, case.path, case.path_parameters, case.query, case.body])
    steer_path(dice, case)
    steer_query(dice, case.query)
    if isinstance(case.body, dict):
        steer_body(dice, case.body)
    if case.method in ("PUT", "DELETE") and dice.roll(3) == 0:
        case.headers["If-Match"] = dice.one_of(TAGS)
    if STEERING["ownConnections"]:
        case.headers["Connection"] = "close"
    steer_credentials(dice, case)
    spoil(dice, case)


def steer_path(dice, case):
    parameters = case.path_parameters
    if not isinstance(parameters, dict):
        return
    is_real = dice.roll(8) != 0
    for segment, name in re.findall(r"([a-z]+)/\{([a-z]+)\}", case.path):
        value = known(dice, segment) if name in parameters and (is_real or dice.roll(2)) else None
        if value is not None:
            parameters[name] = value
    if is_real and "exception" in parameters:
        # Where the exceptions of the fixtures are.
        parameters["namespace"] = "wide"
    if takes_away(case):
        name = list(parameters)[-1] if case.method == "DELETE" or len(parameters) == 1 else None
        for one in [name] if name in parameters else list(parameters):
            if str(parameters[one]) in KEPT:
                parameters[one] = {"project": "spare", "organisation": "acme", "user": "bert"}.get(one, "gone")


def takes_away(case):
    if not case.path_parameters:
        return False
    if case.method == "DELETE":
        return True
    if case.path.endswith(("/rules", "/tier", "/{organisation}", "/{user}")):
        return case.method == "PUT"
    return case.path.endswith(("/rollback", "/rotate"))


def steer_query(dice, query):
    if not isinstance(query, dict):
        return
    for name, value in list(query.items()):
        if isinstance(value, str) and dice.roll(3) != 0:
            query[name] = steered(dice, name, value)


def steer_body(dice, value, depth=0):
    for name, member in list(value.items()):
        if isinstance(member, str) and dice.roll(8) != 0:
            value[name] = steered(dice, name, member)
        for one in member if isinstance(member, list) else [member]:
            if isinstance(one, dict) and depth < 3:
                steer_body(dice, one, depth + 1)


def steered(dice, name, value):
    """A member of a body or of the query, as its name has it."""
    if name == "identifier":
        return dice.one_of(IDENTIFIERS)
    if name in ("expiresAt", "from", "to"):
        return dice.one_of(TIMES)
    if name in ("namespace", "organisation", "tier"):
        return known(dice, name + "s") or value
    if name == "after":
        return known(dice, "next") or value
    return value


def steer_credentials(dice, case):
    values = STEERING["values"]
    if not values:
        return
    luck = dice.roll(16)
    if luck == 0:
        return
    for name in CREDENTIAL_HEADERS:
        case.headers.pop(name, None)
    if luck == 1:
        value = dice.one_of(STRANGERS)
    elif EXPENDABLE and case.method == "DELETE" and case.path.startswith("/v1/session"):
        value = dice.one_of(EXPENDABLE)
    else:
        value = values[0] if luck < 12 else dice.one_of(values)
    for name in STEERING["headers"]:
        case.headers[name] = value


def spoil(dice, case):
    luck = dice.roll(64)
    if luck == 0:
        case.method = dice.one_of(METHODS)
    elif luck in (1, 2) and case.body is not None:
        case.headers["Content-Type"] = dice.one_of(MEDIA_TYPES)
    elif luck == 3 and isinstance(case.body, dict):
        text = json.dumps(case.body)
        broken = [text[: len(text) // 2], text + text, "\ufeff" + text, "[" * 5000, '{"__proto__":{}}', "\x00", '"\\ud800"']
        case.body = dice.one_of(broken).encode("utf-8", "surrogatepass")


@schemathesis.hook
def after_call(context, case, response):
    if not 200 <= response.status_code < 300:
        return
    reached(case)
    if not response.content.startswith(b"{"):
        return
    try:
        answer = json.loads(response.content)
    except ValueError:
        return
    keep_secrets(answer)
    segments = [segment for segment in case.path.split("/") if segment and not segment.startswith("{")]
    learn(segments[-1], answer)
    for granted in ("lease", "reservation"):
        if isinstance(answer.get(granted), dict):
            learn(granted + "s", answer[granted])


def learn(segment, answer):
    items = answer.get("items")
    for item in items[:20] if isinstance(items, list) else [answer]:
        value = item.get("revision" if segment == "changes" else "name" if segment == "namespaces" else "id")
        if isinstance(value, (str, int)) and str(value) not in LEARNED[segment]:
            LEARNED[segment].append(str(value))
    if isinstance(answer.get("next"), str):
        LEARNED["next"].append(answer["next"])


def reached(case):
    """For scripts/fuzz-planes.ts, which counts the operations that were not only refused."""
    label = case.operation.label
    if label not in REACHED:
        REACHED.add(label)
        with open(os.environ["FUZZ_REACHED"], "a", encoding="utf-8") as file:
            file.write(label + "\n")


def keep_secrets(answer):
    """For scripts/fuzz-planes.ts, which looks for them in the log."""
    with open(os.environ["FUZZ_SECRETS"], "a", encoding="utf-8") as secrets:
        for name in ("key", "token"):
            if isinstance(answer.get(name), str):
                secrets.write(answer[name] + "\n")
