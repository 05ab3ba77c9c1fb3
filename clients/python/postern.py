"""
A client of Postern in one file: Python 3.10 or newer, and nothing besides its standard library.

    postern = Postern("http://127.0.0.1:8787", api_key=..., account=...)
    order = postern.place_order(market="BTC", side="buy", size="0.001", price="60000")

- One call of a write is one wish, under one Idempotency-Key: made once, or given by you (`key=`). It is repeated under that key
  until the gateway has said what became of it, and never asked for under a second one.
- A write returns what the gateway knows, which may be `rejected`, or raises a `PosternError`. Where its `outcome` is
  `nothing_sent` nothing happened. Where it is `unknown` anything may have: call again with `key=error.idempotency_key`, and
  never without. To outlive a crash of your program, make the key yourself (`new_key`) and write it down before the call.
- Money is decimal text. Nothing is rounded but by `round`, in the direction that you name.

Members of requests and answers are named as at `/docs`, which describes them; answers are dictionaries. A client may be used by
several threads at a time.
"""

from __future__ import annotations

import http.client
import json
import re
import secrets
import ssl
import time
from collections.abc import Iterator
from typing import Any, Literal
from urllib.parse import quote, urlencode, urlsplit

Resource = dict[str, Any]

# Longer than a gateway takes to answer a write, seconds.
ANSWER_WITHIN_S = 15
FIRST_PAUSE_S = 0.5
MAX_PAUSE_S = 8
# Between two looks at what is not settled, seconds: the gateway asks the exchange once a second at most.
LOOK_PAUSE_S = 1
MAX_STREAM_PAUSE_S = 30
# Pages of one list, of 500 rows each.
MAX_PAGES = 100
# Bytes of one line of a stream.
MAX_LINE_BYTES = 4_000_000
_KEY = re.compile(r"[!-~]{8,128}")
# At most as long as what a calculation may leave; what is sent is shorter.
_DECIMAL = re.compile(r"([0-9]{1,40})(?:\.([0-9]{1,40}))?")
_MONEY = ("price", "size", "fraction", "amount")
_BROKEN = (OSError, http.client.HTTPException, ValueError)


class PosternError(Exception):
    """
    `code` is one of the gateway's, or `no_answer`, `unsettled`, `not_a_decimal`, `rounds_to_zero`, `invalid_idempotency_key`,
    `too_many_pages`. `status` is the HTTP status, None where no answer of the gateway came. `outcome` is `nothing_sent`, or
    `unknown`: what was asked for may have happened; ask again under `idempotency_key`, and under no other. `resource` is what
    the gateway showed last of what is not settled. `retry_after_s` is when it said that asking again may do, or None.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        outcome: Literal["nothing_sent", "unknown"] = "nothing_sent",
        idempotency_key: str | None = None,
        resource: Resource | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status
        self.outcome = outcome
        self.idempotency_key = idempotency_key
        self.resource = resource
        self.retry_after_s = retry_after_s


class _Look:
    """Where a resource that a 202 has shown is read again, and when it is settled."""

    def __init__(self, path: str, is_settled) -> None:
        self.path = path
        self.is_settled = is_settled


_OVER = ("filled", "canceled", "rejected")
_ORDER_KNOWN = _Look("/v1/orders/", lambda order: order["status"] not in ("unknown", "processing"))
# A cancel that was taken stays in force until the order is over.
_ORDER_OVER = _Look("/v1/orders/", lambda order: order["status"] in _OVER)
_ALL_CANCELED = _Look("/v1/cancel-alls/", lambda cancel_all: cancel_all["status"] == "done")
# A stop stands once it is answered.
_STANDS = _Look("/v1/stops/", lambda _stop: True)


class Postern:
    def __init__(
        self,
        url: str,
        api_key: str,
        account: str,
        *,
        key_prefix: str = "",
        patience_s: float = 120,
        silent_after_s: float = 40,
        tls: ssl.SSLContext | None = None,
        clock=time,
    ) -> None:
        """
        `key_prefix` stands before every key that is made: two bots on one account have names of their own. `patience_s` is how
        long a call goes on asking. A stream that says nothing for `silent_after_s` is none any more; the gateway says something
        every 15 seconds.
        """
        self._url = urlsplit(url)
        if self._url.scheme not in ("http", "https") or not self._url.hostname:
            raise ValueError("url has to be the address of a gateway: http://127.0.0.1:8787")
        self._api_key = api_key
        self.account = account
        self._key_prefix = key_prefix
        self._patience_s = patience_s
        self._silent_after_s = silent_after_s
        self._tls = tls
        self._clock = clock

    def new_key(self) -> str:
        """A key for one wish."""
        return self._key_prefix + secrets.token_hex(16)

    def place_order(self, *, key: str | None = None, **wish: Any) -> Resource:
        """`market`, `side`, `size`, `price`, and perhaps `time_in_force`, `reduce_only`, `trigger`."""
        return self._write("/v1/orders", self._ours(wish), key, _ORDER_KNOWN)

    def place_market_order(self, *, key: str | None = None, **wish: Any) -> Resource:
        """`market`, `side`, `size`, and perhaps `reduce_only`, `max_slippage_bps`; what is not found there is not bought or sold."""
        return self._write("/v1/orders/market", self._ours(wish), key, _ORDER_KNOWN)

    def modify_order(self, order_id: str, *, key: str | None = None, **wish: Any) -> Resource:
        """At least one of `price`, `size`, `trigger`; perhaps `always_place`."""
        return self._write(f"/v1/orders/{_named(order_id)}/modify", wish, key)

    def cancel_order(self, order_id: str, *, key: str | None = None) -> Resource:
        return self._write(f"/v1/orders/{_named(order_id)}/cancel", {}, key, _ORDER_OVER)

    def cancel_all(self, *, key: str | None = None, **wish: Any) -> Resource:
        """Perhaps `market`, `side`, `touches`, `keep_protection`."""
        return self._write("/v1/orders/cancel-all", self._ours(wish), key, _ALL_CANCELED)

    def close_position(self, *, key: str | None = None, **wish: Any) -> Resource:
        """`market`, and perhaps `fraction`, `max_slippage_bps`, `touches`, `keep_triggers`."""
        return self._write("/v1/positions/close", self._ours(wish), key, _ORDER_KNOWN)

    def stop(self, *, key: str | None = None, **wish: Any) -> Resource:
        """
        `scope` (`bot` or `account`), perhaps `keep_protection`. Returns as soon as it stands; `get_stop` and the events
        `stop.*` tell when nothing is left that can increase.
        """
        return self._write("/v1/stop", wish, key, _STANDS)

    def get_order(self, order_id: str) -> Resource:
        return self.read(f"/v1/orders/{_named(order_id)}")

    def list_orders(self, **query: Any) -> Resource:
        return self.read("/v1/orders", **query)

    def positions(self, **query: Any) -> Resource:
        return self.read("/v1/positions", **query)

    def balances(self) -> Resource:
        """Perpetuals of each dex, and spot."""
        return self.read("/v1/account")

    def fills(self, **query: Any) -> Resource:
        return self.read("/v1/fills", **query)

    def get_stop(self, stop_id: str) -> Resource:
        return self.read(f"/v1/stops/{_named(stop_id)}")

    def list_stops(self) -> Resource:
        return self.read("/v1/stops")

    def get_market(self, name: str) -> Resource:
        """The rules of a market, for `round`."""
        return self.read(f"/v1/markets/{_named(name)}")

    def read(self, path: str, **query: Any) -> Resource:
        """Any other read. It is repeated while the gateway says that it may be, or says nothing."""
        return self._ask("GET", path + ("?" + urlencode(query) if query else ""), None, None, None)

    def write(self, path: str, body: Resource, *, key: str | None = None) -> Resource:
        """Any other write: repeated under its one key until it is settled."""
        return self._write(path, body, key)

    def all(self, path: str, **query: Any) -> Iterator[Resource]:
        """Every row of a list, page by page."""
        query = {"limit": 500, **query}
        for _ in range(MAX_PAGES):
            page = self.read(path, **query)
            yield from page["data"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]
        raise PosternError("too_many_pages", f"{path} has more than {MAX_PAGES} pages: ask for less of it")

    def follow(self, after: str | None = None) -> Iterator[Resource]:
        """
        Everything that happens, in order, across broken connections and restarts of either side. Keep `id` of what you have
        dealt with, and give it as `after` to go on from there. Without it, and wherever the gateway does not know the place any
        more, a `state` comes first: `orders` (open, or not known yet), `positions` and `account`, read anew. Forget what you
        had then; orders that are not in it are over, or were never sent: ask for them by id. Raises where the key opens nothing
        any more.
        """
        place = after
        is_state_owed = after is None
        pause_s = LOOK_PAUSE_S
        while True:
            wait_s = None
            try:
                for event in self._stream(place):
                    pause_s = LOOK_PAUSE_S
                    place = event["id"]
                    is_state_owed = is_state_owed or event["type"] == "reset"
                    if event["type"] not in ("ready", "reset"):
                        yield event
                    elif is_state_owed:
                        yield self._state(place)
                        is_state_owed = False
            except PosternError as error:
                if error.code != "no_answer" and error.status not in (429, 503):
                    raise
                wait_s = error.retry_after_s
            self._clock.sleep(pause_s if wait_s is None else wait_s)
            pause_s = min(2 * pause_s, MAX_STREAM_PAUSE_S)

    def _ours(self, wish: Resource) -> Resource:
        return {"account": self.account, **wish}

    def _write(self, path: str, body: Resource, key: str | None, look: _Look | None = None) -> Resource:
        key = self.new_key() if key is None else key
        if not _KEY.fullmatch(key):
            raise PosternError("invalid_idempotency_key", "A key has 8 to 128 visible ASCII characters.")
        _refuse_numbers(body)
        return self._ask("POST", path, body, key, look)

    def _ask(self, method: str, path: str, body: Resource | None, key: str | None, look: _Look | None) -> Resource:
        """Asks until there is an answer that says what happened, or patience ends: then what is known is raised."""
        until_s = self._clock.monotonic() + self._patience_s
        about: dict[str, Any] = {"idempotency_key": key}
        is_looking = False
        pause_s = FIRST_PAUSE_S
        while True:
            answer = self._send(method, path, body, key)
            wait_s: float | None
            if answer is None:
                if key is not None:
                    about["outcome"] = "unknown"
                error = _unsettled(about) if "resource" in about else _no_answer(about)
                wait_s = pause_s
            elif answer[0] >= 400:
                error = _refusal(answer, about)
                wait_s = answer[2]
            else:
                status, resource, _ = answer
                is_known = not is_looking and status != 202
                if is_known or (look is not None and look.is_settled(resource)):
                    return resource
                about.update(outcome="unknown", resource=resource)
                if look is not None:
                    method, path, body, is_looking = "GET", look.path + _named(resource["id"]), None, True
                error = _unsettled(about)
                wait_s = LOOK_PAUSE_S
            if wait_s is None or self._clock.monotonic() + wait_s > until_s:
                raise error
            self._clock.sleep(max(wait_s, FIRST_PAUSE_S))
            pause_s = min(2 * pause_s, MAX_PAUSE_S)

    def _connect(self, timeout_s: float) -> http.client.HTTPConnection:
        host, port = self._url.hostname, self._url.port
        if self._url.scheme == "https":
            context = self._tls or ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=context)
        return http.client.HTTPConnection(host, port, timeout=timeout_s)

    def _request(self, connection, method: str, path: str, body: Resource | None, more: dict[str, str]) -> Any:
        headers = {"Authorization": f"Bearer {self._api_key}", **more}
        if body is not None:
            headers["Content-Type"] = "application/json"
        text = None if body is None else json.dumps(body).encode()
        # Redirects are not followed: the key goes to the gateway and nowhere else.
        connection.request(method, self._url.path.rstrip("/") + path, body=text, headers=headers)
        return connection.getresponse()

    def _send(self, method: str, path: str, body: Resource | None, key: str | None):
        """One request; None where no answer of the gateway came back, which says nothing of what happened."""
        connection = self._connect(ANSWER_WITHIN_S)
        try:
            more = {} if body is None or key is None else {"Idempotency-Key": key}
            return _answer_of(self._request(connection, method, path, body, more))
        except _BROKEN:
            return None
        finally:
            connection.close()

    def _stream(self, place: str | None) -> Iterator[Resource]:
        """The events of one connection, until it ends, breaks or falls silent."""
        connection = self._connect(self._silent_after_s)
        try:
            more = {} if place is None else {"Last-Event-ID": place}
            response = self._request(connection, "GET", "/v1/events", None, more)
            if response.status != 200:
                answer = _answer_of(response)
                raise _no_answer({}) if answer is None else _refusal(answer, {})
            yield from _events_of(response)
        except _BROKEN:
            raise _no_answer({}) from None
        finally:
            connection.close()

    def _state(self, place: str) -> Resource:
        statuses = ("open", "processing", "unknown")
        orders = [order for status in statuses for order in self.all("/v1/orders", status=status)]
        positions = list(self.all("/v1/positions"))
        account = self.balances()
        return {"object": "state", "id": place, "type": "state", "orders": orders, "positions": positions, "account": account}


def round(market: Resource, what: Literal["price", "size"], value: str, direction: Literal["up", "down"]) -> str:
    """
    The nearest price or size that the market takes, not above (`down`) or not below (`up`) the one given: at most
    `price_significant_figures` and `price_decimals`, whole prices always, sizes in steps of `size_decimals`. What would be zero is
    an error, and so is what is no plain decimal text above zero.
    """
    match = _DECIMAL.fullmatch(value) if isinstance(value, str) else None
    if match is None or what not in ("price", "size") or direction not in ("up", "down"):
        raise PosternError("not_a_decimal", f'{what} has to be plain decimal text, as "0.015", and not {value!r}.')
    whole = match[1].lstrip("0")
    places = (match[2] or "").rstrip("0")
    decimals = market["size_decimals"] if what == "size" else _decimals_of(market, whole, places)
    units = int("0" + whole + places[:decimals].ljust(decimals, "0"))
    if direction == "up" and len(places) > decimals:
        units += 1
    if units == 0:
        raise PosternError("rounds_to_zero", f"{what} {value} is zero on {market['market']}, rounded {direction}.")
    digits = str(units).rjust(decimals + 1, "0")
    point = len(digits) - decimals
    return digits if decimals == 0 else f"{digits[:point]}.{digits[point:]}".rstrip("0").rstrip(".")


def _decimals_of(market: Resource, whole: str, places: str) -> int:
    """Decimals that a price of this size may have: leading zeros after the point are no figures of it."""
    figures_before = len(whole) if whole else len(places.lstrip("0")) - len(places)
    return max(0, min(market["price_decimals"], market["price_significant_figures"] - figures_before))


def _refuse_numbers(body: Resource) -> None:
    """A float has lost what was meant before it is sent."""
    for name, value in body.items():
        if name in _MONEY and not isinstance(value, str):
            raise PosternError("not_a_decimal", f'{name} has to be decimal text, as "0.015".')
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                _refuse_numbers(part)


def _named(identifier: Any) -> str:
    return quote(str(identifier), safe="")


def _no_answer(about: dict[str, Any]) -> PosternError:
    return PosternError("no_answer", "No answer of the gateway came back.", **about)


def _unsettled(about: dict[str, Any]) -> PosternError:
    return PosternError("unsettled", "Nobody knows yet what became of it: ask again under the same key.", **about)


def _refusal(answer, about: dict[str, Any]) -> PosternError:
    status, body, retry_after_s = answer
    error = body["error"]
    return PosternError(error["code"], error["message"], **about, status=status, retry_after_s=retry_after_s)


def _answer_of(response) -> tuple[int, Resource, int | None] | None:
    """Status, body and seconds to wait; None where somebody between has answered in the gateway's place."""
    body = json.loads(response.read(), parse_float=str)
    if not isinstance(body, dict):
        return None
    error = body.get("error")
    is_ours = "object" in body if 200 <= response.status < 300 else isinstance(error, dict) and "code" in error
    seconds = response.headers.get("Retry-After", "")
    return (response.status, body, int(seconds) if re.fullmatch("[0-9]{1,6}", seconds) else None) if is_ours else None


def _events_of(response) -> Iterator[Resource]:
    """Server-sent events. One that was cut off is none: its id was not taken, so that it is told again."""
    data = None
    while raw := response.readline(MAX_LINE_BYTES):
        if not raw.endswith(b"\n"):
            raise ValueError("cut off, or longer than any event")
        line = raw.decode().rstrip("\r\n")
        if line.startswith("data:"):
            data = line[len("data:") :]
        elif line == "" and data is not None:
            yield json.loads(data, parse_float=str)
            data = None
