"""Checks of schemathesis for what no OpenAPI document can say."""

import json
import os
import re

import schemathesis

with open(os.environ["FUZZ_STEERING"], encoding="utf-8") as file:
    STEERING = json.load(file)
CREDENTIALS = set(STEERING["values"] + STEERING["expendable"])
SECRET = re.compile(rb"brume_(sk|pk|mt|in)_[A-Za-z0-9_-]{43}")
# A path that names nothing, or a body that can't be read, may be refused before the method is.
BEFORE_METHOD = (400, 401, 403, 404, 413, 415)


@schemathesis.check
def brume_problem_is_whole(ctx, response, case):
    """A refusal says its own status, and nothing of where in the source it was made."""
    if response.status_code < 400 or not response.content.startswith(b"{"):
        return
    problem = json.loads(response.content)
    if "code" not in problem:
        return
    assert problem["status"] == response.status_code, f"says {problem['status']}"
    assert not re.search(r"node_modules|at \S+ \(|\.[jt]s:\d|SQLITE|select ", str(problem)), str(problem)


@schemathesis.check
def brume_stranger_is_refused(ctx, response, case):
    """Nobody gets in without credentials that are good, unless the call is for everybody."""
    if not CREDENTIALS or case.operation.definition.raw.get("security") == []:
        return
    if "metrics" in case.path or is_other_method(response, case):
        return
    given = {response.request.headers.get(name) for name in STEERING["headers"]}
    if given & CREDENTIALS:
        return
    assert response.status_code >= 400, f"answered {response.status_code}"


@schemathesis.check
def brume_other_method_is_refused(ctx, response, case):
    """A method that a path doesn't have is refused, and Allow says which it has."""
    if not is_other_method(response, case) or "/auth/" in case.path:
        return
    if response.request.method in ("HEAD", "OPTIONS") or response.status_code in BEFORE_METHOD:
        return
    assert response.status_code == 405, f"answered {response.status_code}"
    assert response.headers.get("allow"), "without Allow"


@schemathesis.check
def brume_secret_is_shown_once(ctx, response, case):
    """Only the answer that makes a secret holds one."""
    asked = (response.request.url or "") + str(response.request.body)
    found = SECRET.search(response.content)
    if found and response.status_code != 201 and found.group(0).decode() not in asked:
        raise AssertionError("a secret in an answer that makes none")


def is_other_method(response, case):
    return response.request.method.lower() not in case.operation.schema.raw_schema["paths"][case.path]
