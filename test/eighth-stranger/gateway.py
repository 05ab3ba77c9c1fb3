"""The executable as its owner meets it: set up, started, killed; keys, and who asks with them. Every answer is kept."""
import http.client
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from hashlib import sha256

import codec
from chain import Chain
from exchange import Exchange

OWNER = "0x" + "11" * 32
SUB = "0x" + "5b" * 20
RAILS = {"may": "increase,reduce,modify,cancel", "markets": "BTC,ETH", "max_order": "500 USD", "max_position": "1000 USD", "max_exposure": "1500 USD",
         "max_turnover_per_day": "5000 USD", "max_loss_per_day": "50 USD", "max_actions_per_day": "2000", "max_distance": "2 %", "max_stop_distance": "10 %",
         "max_leverage": "any", "max_open_orders": "40", "touches": "own", "sources": "any"}


# At another hour: this process and the executable both have their clock set ahead by so many seconds.
AHEAD = int(os.environ.get("EIGHTH_AHEAD_S", "0"))
FAKED = {"FAKETIME": f"+{AHEAD}s", "LD_PRELOAD": "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"} if AHEAD else {}
if AHEAD:
    _true = time.time
    time.time = lambda: _true() + AHEAD


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(w.capitalize() for w in rest)


def iso(ms):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000)) + f".{ms % 1000:03d}Z"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


class Gateway:
    def __init__(self, binary, settings=None, exchange=None, prefix=()):
        self.binary, self.settings, self.prefix = binary, settings or {}, list(prefix)
        self.chain = Chain()
        self.exchange = Exchange(self.chain)
        self.dir = tempfile.mkdtemp(prefix="eighth-")
        self.data, self.passphrase = os.path.join(self.dir, "data"), os.path.join(self.dir, "passphrase")
        with open(os.open(self.passphrase, os.O_CREAT | os.O_WRONLY, 0o600), "w") as f:
            f.write("correct horse battery staple 9381\n")
        self.port, self.metrics, self.hooks = free_port(), free_port(), free_port()
        self.owner = codec.address_of_key(OWNER)
        self.chain.account(self.owner)
        self.chain.subaccounts[SUB] = self.owner
        self.chain.account(SUB)
        self.told, self.lock, self.process, self.tails = [], threading.Lock(), None, []
        self.log = open(os.path.join(self.dir, "log"), "ab")
        made = self.run("init", "--network", "paper", "--exchange-url", self.exchange.url, "--owner", self.owner, "--passphrase-file", self.passphrase)
        self.main = made["account"]
        self.sub = self.run("account", "add", "--kind", "subaccount", "--address", SUB, "--parent", self.main, "--label", "sub", "--passphrase-file", self.passphrase)
        self.sub = self.sub.get("account") or self.sub.get("id")
        self.address = {self.main: self.owner, self.sub: SUB}
        # The agent is approved at the exchange itself, as its page would do it.
        self.chain.agents[made["agent"].lower()] = {"master": self.owner, "name": made["agent_name"], "until": self.chain.now() + 90 * 86400000}
        data = self.run("agent", "approval")
        m = data["typed_data"]
        fields = [(f["name"], f["type"]) for f in m["types"][m["primaryType"]]]
        digest = codec.digest_of(m["domain"], m["primaryType"], fields, m["message"])
        self.run("agent", "approve", "--agent", data["agent"], "--nonce", str(data["nonce"]), "--signature", codec.joined(codec.sign(OWNER, digest)),
                 "--passphrase-file", self.passphrase)

    def run(self, *args, check=True):
        r = subprocess.run([self.binary, *args, "--data-dir", self.data, "--json"], capture_output=True, text=True, env={**os.environ, **FAKED, **self.settings}, timeout=90)
        if check and r.returncode:
            raise RuntimeError(f"{args}: {r.stdout} {r.stderr}")
        try:
            return json.loads(r.stdout)
        except ValueError:
            return {"text": r.stdout, "error": r.stderr, "code": r.returncode}

    def start(self, wait=True):
        env = {**os.environ, **FAKED, "POSTERN_AUDIENCE": f"http://127.0.0.1:{self.port}", "POSTERN_LIMIT_ORDERS": "0", "POSTERN_LIMIT_CANCELS": "0", "POSTERN_LIMIT_WRITES": "0",
               "POSTERN_LIMIT_READS": "0", "POSTERN_EXCHANGE_WEIGHT": "0", "POSTERN_METRICS_LISTEN": f"127.0.0.1:{self.metrics}", "POSTERN_HOOKS_LISTEN": f"127.0.0.1:{self.hooks}", **self.settings}
        command = [*self.prefix, self.binary, "serve", "--data-dir", self.data, "--passphrase-file", self.passphrase, "--listen", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=env)
        end = time.time() + 120
        while wait and time.time() < end:
            try:
                if self.raw("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        if wait:
            raise RuntimeError("not ready: " + str(self.raw("GET", "/readyz")))

    def kill(self, how=signal.SIGKILL):
        if self.process:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None

    def close(self):
        self.kill()
        self.exchange.close()
        self.log.close()
        shutil.rmtree(self.dir, ignore_errors=True)

    def raw(self, method, path, body=None, headers=None, timeout=30):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            head = {"Connection": "close", **(headers or {})}
            if body is not None:
                head["Content-Type"] = "application/json"
            c.request(method, path, json.dumps(body) if body is not None else None, head)
            r = c.getresponse()
            text = r.read().decode()
            return r.status, dict((k.lower(), v) for k, v in r.getheaders()), json.loads(text) if text.startswith(("{", "[")) else text
        finally:
            c.close()

    # --- keys ----------------------------------------------------------------------------------------------------
    def plain_key(self, account=None, scopes="trading:read,trading:write"):
        key, account = "api_trade_" + secrets.token_hex(32), account or self.main
        hashed, at = sha256(key.encode()).hexdigest(), self.chain.now()
        fields = [("audience", "string"), ("account", "string"), ("network", "string"), ("keyHash", "bytes32"), ("scopes", "string"), ("issuedAt", "uint64"), ("expiresAt", "uint64")]
        message = {"audience": f"paper+http://127.0.0.1:{self.port}", "account": account, "network": "exchange_mainnet", "keyHash": hashed, "scopes": scopes, "issuedAt": at, "expiresAt": 0}
        signature = codec.joined(codec.sign(OWNER, codec.digest_of({"name": "Postern", "version": "1"}, "ApiKeyGrant", fields, message)))
        consent = {"account": account, "network": "exchange_mainnet", "key_hash": hashed, "policy": {"scopes": scopes.split(",")}, "issued_at": at}
        status, _, answer = self.raw("POST", "/v1/api-keys", {"consent": consent, "signature": signature})
        assert status == 201, answer
        return Client(self, key, account)

    def bot_key(self, bot, account=None, **rails):
        key, account = "api_trade_" + secrets.token_hex(32), account or self.main
        now = self.chain.now()
        grant = {"account": account, "network": "paper", "owner": self.owner, "trading_address": self.address[account], "key_hash": sha256(key.encode()).hexdigest(),
                 "scopes": "trading:read,trading:write", "bot": bot, **RAILS, **rails, "issued_at": iso(now), "expires_at": iso(now + 30 * 86400000)}
        layout = self.raw("GET", "/v1/api-keys/typed-data")[2]["types"]["LimitedKeyGrant"]
        message = {camel(k): v for k, v in grant.items()} | {"audience": f"paper+http://127.0.0.1:{self.port}"}
        digest = codec.digest_of({"name": "Postern", "version": "1"}, "LimitedKeyGrant", [(f["name"], f["type"]) for f in layout], message)
        status, _, answer = self.raw("POST", "/v1/api-keys/limited", {"grant": grant, "signature": codec.joined(codec.sign(OWNER, digest))})
        assert status == 201, answer
        return Client(self, key, account, bot, {**RAILS, **rails})

    def resume(self, client, stop):
        fields = [("audience", "string"), ("account", "string"), ("stop", "string")]
        message = {"audience": f"paper+http://127.0.0.1:{self.port}", "account": client.account, "stop": stop}
        digest = codec.digest_of({"name": "Postern", "version": "1"}, "TradingResumption", fields, message)
        return self.raw("POST", f"/v1/stops/{stop}/resume", {"account": client.account, "signature": codec.joined(codec.sign(OWNER, digest))})

    def keep(self, entry):
        with self.lock:
            self.told.append(entry)


class Client:
    def __init__(self, gateway, key, account, bot=None, rails=None):
        self.g, self.key, self.account, self.bot, self.rails = gateway, key, account, bot, rails
        self.hash, self.n, self.events, self.sent = sha256(key.encode()).hexdigest(), 0, [], {}
        self.prefix = secrets.token_hex(4)

    def name(self):
        self.n += 1
        return f"{self.prefix}-{self.n:05d}"

    def ask(self, method, path, body=None, key=None, timeout=30):
        """(status, answer); status 0 is no answer. A write without a name gets a new one."""
        headers = {"Authorization": f"Bearer {self.key}"}
        if method == "POST":
            key = key or self.name()
            headers["Idempotency-Key"] = key
        asked = time.time()
        try:
            status, head, answer = self.g.raw(method, path, body, headers, timeout)
        except (OSError, http.client.HTTPException, ValueError) as fault:
            status, head, answer = 0, {}, str(fault)
        self.g.keep({"from": asked, "to": time.time(), "client": self, "method": method, "path": path, "body": body, "key": key, "status": status,
                     "answer": answer, "as_of": head.get("x-data-as-of"), "replayed": head.get("idempotent-replayed")})
        return status, answer

    def get(self, path):
        return self.ask("GET", path)

    def order(self, market, side, size, price, key=None, **more):
        return self.ask("POST", "/v1/orders", {"account": self.account, "market": market, "side": side, "size": str(size), "price": str(price), **more}, key)

    def until(self, path, good, seconds=60, every=0.5):
        end = time.time() + seconds
        while True:
            status, answer = self.get(path)
            if (status == 200 and good(answer)) or time.time() > end:
                return status, answer
            time.sleep(every)

    def follow(self):
        """Reads the stream of events for good, over deaths of the gateway."""
        def run():
            last = None
            while not self.g.exchange.closing:
                try:
                    c = http.client.HTTPConnection("127.0.0.1", self.g.port, timeout=20)
                    c.request("GET", "/v1/events", headers={"Authorization": f"Bearer {self.key}", **({"Last-Event-ID": last} if last else {})})
                    r = c.getresponse()
                    while line := r.readline():
                        text = line.decode().rstrip("\n")
                        if text.startswith("data:"):
                            event = json.loads(text[5:])
                            last = event.get("id") or last
                            self.events.append({"at": time.time(), "event": event})
                            self.g.keep({"from": time.time(), "to": time.time(), "client": self, "event": event})
                except (OSError, http.client.HTTPException, ValueError):
                    time.sleep(0.3)
        t = threading.Thread(target=run, daemon=True)
        t.start()
        return self
