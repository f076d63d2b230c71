"""The words of the verbs about keys and the audit log, on a manager that has no remote clients."""

OK, NOT_FOUND, REFUSED, UNREACHABLE = 0, 3, 4, 6


def keys_and_audit(s):
    file = s.live.state / "laptop.key"
    at = "tcp://127.0.0.1:7447"
    s.say(OK, "key", "list", part="aliquot key new")
    s.say(REFUSED, "key", "new", "laptop", "--user", "root", "--role", "user", "--to", file, part="--at")
    s.say(OK, "key", "new", "laptop", "--user", "root", "--role", "user", "--to", file, "--at", at)
    s.say(OK, "key", "list", part="laptop")
    for words in (["list"], ["server"]):
        s.say(OK, "key", *words, "-o", "json")
    s.say(OK, "key", "revoke", "laptop", part="is revoked")
    s.say(NOT_FOUND, "key", "revoke", "laptop", part="aliquot key list")
    s.say(OK, "token", "new", "console", "--role", "viewer", "--for", "1h", part="alq_")
    s.say(OK, "key", "list", part="token")
    s.say(OK, "key", "revoke", "console", part="is revoked")
    s.say(UNREACHABLE, "--key", file, "list", part="no manager listens")
    for verb in ("verify", "show"):
        s.say(OK, "audit", verb, s.live.state / "store/audit", "-o", "json")
    s.say(NOT_FOUND, "audit", "verify", s.live.state, part="no audit log")
