"""The exchange's door: REST and websocket on one port, each request with a fate that a scene may give it."""
import base64
import hashlib
import json
import socket
import struct
import threading
import time

import acts
import views

TEXT = "Failed to deserialize the JSON body into the target type"


class Exchange:
    """`fate(request)` returns None, or a function (request, true) -> what is done; see `fates.py`."""

    def __init__(self, chain):
        self.chain, self.fate, self.frame_fate = chain, None, None
        self.sockets, self.asked, self.closing = [], [], False
        self.cache, self.answers = {}, []
        self.server = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.server.getsockname()[1]
        self.lock = threading.Lock()
        chain.listeners.append(self.heard)
        for target in (self.accept, self.pulse):
            threading.Thread(target=target, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def accept(self):
        while not self.closing:
            try:
                conn, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(conn,), daemon=True).start()

    def serve(self, conn):
        try:
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            f = conn.makefile("rb")
            while True:
                line = f.readline()
                if not line:
                    return
                path, headers = line.split()[1].decode(), {}
                while (h := f.readline()) not in (b"\r\n", b""):
                    k, _, v = h.decode().partition(":")
                    headers[k.strip().lower()] = v.strip()
                if headers.get("upgrade", "").lower() == "websocket":
                    return self.websocket(conn, f, headers)
                body = f.read(int(headers.get("content-length", 0)))
                status, text = self.request(path, json.loads(body))
                if status is None:
                    return
                raw = text.encode()
                conn.sendall(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(raw)}\r\n\r\n".encode() + raw)
        except (OSError, ValueError, IndexError):
            pass
        finally:
            conn.close()

    def request(self, path, body):
        """(status, text) of what is answered; (None, None) is a connection that is cut."""
        if path == "/info":
            kind, run = "info", lambda: views.info(self.chain, body)
        else:
            body["_sent"] = time.time()
            kind, run = "exchange", lambda: acts.act(self.chain, body)
        name = body["type"] if kind == "info" else body["action"]["type"]
        request = {"path": kind, "name": name, "body": body, "at": time.time()}
        with self.lock:
            self.asked.append(request)
        try:
            fate = self.fate(request) if self.fate else None
            if fate:
                status, answer = fate(self, request, run)
            else:
                status, answer = 200, run()
        except KeyError as fault:
            self.chain.tell("harness", why=f"{name}: no such read here ({fault})")
            return 422, json.dumps(TEXT)
        text = json.dumps(answer)
        with self.lock:
            request["answer"] = text
            self.answers.append(request)
            if kind == "info" and not fate:
                self.cache.setdefault(json.dumps(body, sort_keys=True), []).append((time.time(), answer))
        return status, text

    # --- websocket -----------------------------------------------------------------------------------------------
    def websocket(self, conn, f, headers):
        key = base64.b64encode(hashlib.sha1((headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        conn.sendall(f"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {key}\r\n\r\n".encode())
        link = {"conn": conn, "subs": [], "lock": threading.Lock()}
        self.sockets.append(link)
        try:
            while True:
                head = f.read(2)
                if len(head) < 2:
                    return
                n = head[1] & 127
                n = struct.unpack(">H", f.read(2))[0] if n == 126 else struct.unpack(">Q", f.read(8))[0] if n == 127 else n
                mask = f.read(4) if head[1] & 128 else b"\0\0\0\0"
                data = bytes(b ^ mask[i % 4] for i, b in enumerate(f.read(n)))
                if head[0] & 15 == 8:
                    return
                if head[0] & 15 == 9:
                    self.raw(link, data, 10)
                elif head[0] & 15 == 1:
                    self.message(link, json.loads(data))
        finally:
            self.sockets.remove(link)

    def message(self, link, m):
        if m["method"] == "ping":
            return self.say(link, {"channel": "pong"})
        if m["method"] == "post":
            return self.chain.tell("harness", why="post by websocket")
        sub = m["subscription"]
        if m["method"] == "unsubscribe":
            link["subs"] = [s for s in link["subs"] if s != sub]
            return self.say(link, {"channel": "subscriptionResponse", "data": {"method": "unsubscribe", "subscription": sub}})
        self.say(link, {"channel": "subscriptionResponse", "data": {"method": "subscribe", "subscription": sub}})
        with self.chain.lock:
            link["subs"].append(sub)
            self.snapshot(link, sub)

    def snapshot(self, link, sub):
        data = views.frame(self.chain, sub)
        if data is not None:
            self.say(link, {"channel": sub["type"], "data": data}, sub)

    def say(self, link, message, sub=None):
        if self.frame_fate and sub:
            message = self.frame_fate(self, sub, message)
            if message is None:
                return
        self.raw(link, json.dumps(message).encode(), 1)

    def raw(self, link, data, opcode):
        n = len(data)
        head = bytes([0x80 | opcode]) + (bytes([n]) if n < 126 else b"\x7e" + struct.pack(">H", n) if n < 65536 else b"\x7f" + struct.pack(">Q", n))
        try:
            with link["lock"]:
                link["conn"].sendall(head + data)
        except OSError:
            pass

    def heard(self, entry):
        """What the chain tells goes to those who follow it."""
        what = entry["what"]
        if what not in ("order", "fill", "twap", "price"):
            return
        for link in list(self.sockets):
            for sub in list(link["subs"]):
                kind, user = sub["type"], str(sub.get("user", "")).lower()
                if what == "price":
                    if kind in ("bbo", "l2Book", "activeAssetCtx") and sub["coin"] == entry["coin"]:
                        self.snapshot(link, sub)
                    continue
                if user != entry["account"]:
                    continue
                if what == "order" and kind == "orderUpdates" and entry["order"].source != "twap":
                    o = entry["order"]
                    self.say(link, {"channel": kind, "data": [{"order": views.short(o.wire()), "status": entry["status"], "statusTimestamp": o.changed}]}, sub)
                elif what == "fill" and kind == "userFills":
                    self.say(link, {"channel": kind, "data": {"user": user, "fills": [entry["fill"]]}}, sub)
                elif what == "fill" and kind == "userEvents":
                    self.say(link, {"channel": "user", "data": {"fills": [entry["fill"]]}}, sub)
                elif what == "twap" and kind in ("userTwapHistory", "twapStates"):
                    self.snapshot(link, sub)
                elif kind in ("openOrders", "clearinghouseState", "allDexsClearinghouseState", "spotState") and what in ("order", "fill"):
                    link.setdefault("due", set()).add(json.dumps(sub))

    def pulse(self):
        """States go out soon after a change and every second otherwise; TWAPs have their slices."""
        n = 0
        while not self.closing:
            time.sleep(0.25)
            n += 1
            self.chain.slices()
            for link in list(self.sockets):
                due, link["due"] = link.get("due", set()), set()
                with self.chain.lock:
                    for sub in list(link["subs"]):
                        states = sub["type"] in ("openOrders", "clearinghouseState", "allDexsClearinghouseState", "spotState", "twapStates", "webData3", "allMids", "activeAssetCtx", "l2Book", "bbo")
                        if json.dumps(sub) in due or (states and n % 6 == 0):
                            self.snapshot(link, sub)

    def cut_feeds(self):
        for link in list(self.sockets):
            try:
                link["conn"].shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.closing = True
        self.server.close()
        self.cut_feeds()
