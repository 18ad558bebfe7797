"""Hooks of schemathesis: half of the names that it makes up become names that exist.

Otherwise nearly every request would end at the same 404. What is put where follows from what was made
up, so that a seed gives the same requests again. What all requests need is not taken away by one of them:
their own token, and the project, the organisation and the namespaces that they name. schemathesis learns
ids from answers too, so that this is seen to last.
"""

import hashlib
import os

import schemathesis

NAMESPACES = ["wide", "narrow", "log", "bucket", "slots", "addresses"]
KEPT = set(os.environ["FUZZ_KEPT"].split(",")) | set(NAMESPACES)
KNOWN = {"project": ["shop"], "organisation": ["default"], "namespace": NAMESPACES}


def number_of(value):
    return int.from_bytes(hashlib.sha256(repr(value).encode("utf-8", "replace")).digest()[:4], "big")


def steered(name, value):
    number = number_of([name, value])
    known = KNOWN[name]
    return known[number // 2 % len(known)] if number % 2 == 0 else value


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if not isinstance(path_parameters, dict):
        return path_parameters
    names = [name for name in path_parameters if name in KNOWN]
    for name in names:
        path_parameters[name] = steered(name, path_parameters[name])
    return path_parameters


@schemathesis.hook
def before_call(context, case, kwargs):
    parameters = case.path_parameters
    if not isinstance(parameters, dict) or not parameters:
        return
    name = list(parameters)[-1]
    takes_away = case.method.upper() == "DELETE" or name in ("project", "organisation")
    if case.method.upper() not in ("GET", "POST") and takes_away and str(parameters[name]) in KEPT:
        parameters[name] = "gone"


@schemathesis.hook
def map_body(context, body):
    steer_namespace(body)
    if isinstance(body, dict) and isinstance(body.get("checks"), list):
        for check in body["checks"]:
            steer_namespace(check)
    return body


def steer_namespace(value):
    if isinstance(value, dict) and isinstance(value.get("namespace"), str):
        value["namespace"] = steered("namespace", value["namespace"])
