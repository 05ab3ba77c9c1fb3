"""Keccak, secp256k1, msgpack and EIP-712 by the notes on the exchange, on the standard library alone."""
import hashlib
import hmac
from decimal import Decimal

_RC = [0x0000000000000001, 0x0000000000008082, 0x800000000000808A, 0x8000000080008000, 0x000000000000808B, 0x0000000080000001,
       0x8000000080008081, 0x8000000000008009, 0x000000000000008A, 0x0000000000000088, 0x0000000080008009, 0x000000008000000A,
       0x000000008000808B, 0x800000000000008B, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
       0x000000000000800A, 0x800000008000000A, 0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008]
_ROT = [[0, 36, 3, 41, 18], [1, 44, 10, 45, 2], [62, 6, 43, 15, 61], [28, 55, 25, 21, 56], [27, 20, 39, 8, 14]]
_M = (1 << 64) - 1


def _permute(a):
    for rc in _RC:
        c = [a[x][0] ^ a[x][1] ^ a[x][2] ^ a[x][3] ^ a[x][4] for x in range(5)]
        d = [c[(x - 1) % 5] ^ (((c[(x + 1) % 5] << 1) | (c[(x + 1) % 5] >> 63)) & _M) for x in range(5)]
        b = [[0] * 5 for _ in range(5)]
        for x in range(5):
            for y in range(5):
                v, r = a[x][y] ^ d[x], _ROT[x][y]
                b[y][(2 * x + 3 * y) % 5] = ((v << r) | (v >> (64 - r))) & _M if r else v
        for x in range(5):
            for y in range(5):
                a[x][y] = b[x][y] ^ (~b[(x + 1) % 5][y] & _M & b[(x + 2) % 5][y])
        a[0][0] ^= rc
    return a


def keccak(data):
    data = bytearray(data)
    pad = 136 - len(data) % 136
    data += b"\x81" if pad == 1 else b"\x01" + b"\0" * (pad - 2) + b"\x80"
    a = [[0] * 5 for _ in range(5)]
    for at in range(0, len(data), 136):
        for i in range(17):
            a[i % 5][i // 5] ^= int.from_bytes(data[at + 8 * i:at + 8 * i + 8], "little")
        a = _permute(a)
    return b"".join(a[i % 5][i // 5].to_bytes(8, "little") for i in range(4))


P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def _double(p):
    x, y, z = p
    if not y:
        return (0, 1, 0)
    s = 4 * x * y * y % P
    m = 3 * x * x % P
    nx = (m * m - 2 * s) % P
    return (nx, (m * (s - nx) - 8 * pow(y, 4, P)) % P, 2 * y * z % P)


def _add(p, q):
    if not p[2]:
        return q
    if not q[2]:
        return p
    z1, z2 = p[2] * p[2] % P, q[2] * q[2] % P
    u1, u2 = p[0] * z2 % P, q[0] * z1 % P
    s1, s2 = p[1] * z2 * q[2] % P, q[1] * z1 * p[2] % P
    if u1 == u2:
        return _double(p) if s1 == s2 else (0, 1, 0)
    h, r = (u2 - u1) % P, (s2 - s1) % P
    h2 = h * h % P
    h3 = h * h2 % P
    x = (r * r - h3 - 2 * u1 * h2) % P
    return (x, (r * (u1 * h2 - x) - s1 * h3) % P, h * p[2] * q[2] % P)


def _two(a, b, p):
    """a·G + b·p, both read bit by bit at once."""
    g, p = (*G, 1), (*p, 1)
    both, out = _add(g, p), (0, 1, 0)
    for i in range(255, -1, -1):
        out = _double(out)
        bits = ((a >> i) & 1, (b >> i) & 1)
        if bits != (0, 0):
            out = _add(out, both if bits == (1, 1) else g if bits[0] else p)
    z = pow(out[2], -1, P)
    return (out[0] * z * z % P, out[1] * z * z * z % P)


def address_of(point):
    return "0x" + keccak(point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big"))[12:].hex()


def address_of_key(key):
    return address_of(_two(int(key, 16), 0, G))


def sign(key, digest):
    d, e = int(key, 16), int.from_bytes(digest, "big")
    k = int.from_bytes(hmac.new(bytes.fromhex(key[2:]), digest, hashlib.sha256).digest(), "big") % N
    x, y = _two(k, 0, G)
    s = pow(k, -1, N) * (e + x * d) % N
    v = 27 + (y & 1)
    if s > N // 2:
        s, v = N - s, 55 - v
    return {"r": f"0x{x:064x}", "s": f"0x{s:064x}", "v": v}


def joined(sig):
    return "0x" + sig["r"][2:] + sig["s"][2:] + f"{sig['v']:02x}"


def recover(digest, sig):
    r, s, e = int(sig["r"], 16), int(sig["s"], 16), int.from_bytes(digest, "big")
    y = pow(pow(r, 3, P) + 7, (P + 1) // 4, P)
    if (y & 1) != sig["v"] - 27:
        y = P - y
    i = pow(r, -1, N)
    return address_of(_two(-e * i % N, s * i % N, (r, y)))


def pack(v):
    if v is None:
        return b"\xc0"
    if isinstance(v, bool):
        return b"\xc3" if v else b"\xc2"
    if isinstance(v, int):
        if v >= 0:
            for limit, head, n in ((128, b"", 1), (256, b"\xcc", 1), (2**16, b"\xcd", 2), (2**32, b"\xce", 4), (2**64, b"\xcf", 8)):
                if v < limit:
                    return head + v.to_bytes(n, "big")
        if v >= -32:
            return v.to_bytes(1, "big", signed=True)
        for bits, head in ((8, b"\xd0"), (16, b"\xd1"), (32, b"\xd2"), (64, b"\xd3")):
            if v >= -(1 << (bits - 1)):
                return head + v.to_bytes(bits // 8, "big", signed=True)
    if isinstance(v, str):
        b = v.encode()
        n = len(b)
        return (bytes([0xA0 | n]) if n < 32 else b"\xd9" + bytes([n]) if n < 256 else b"\xda" + n.to_bytes(2, "big")) + b
    if isinstance(v, list):
        n = len(v)
        return (bytes([0x90 | n]) if n < 16 else b"\xdc" + n.to_bytes(2, "big")) + b"".join(map(pack, v))
    n = len(v)
    return (bytes([0x80 | n]) if n < 16 else b"\xde" + n.to_bytes(2, "big")) + b"".join(pack(k) + pack(x) for k, x in v.items())


def _encode(kind, value):
    if kind == "string":
        return keccak(value.encode())
    if kind.startswith("uint"):
        return int(value).to_bytes(32, "big")
    raw = bytes.fromhex(value[2:] if value.startswith("0x") else value)
    return raw.rjust(32, b"\0")


def typed_hash(name, fields, message):
    head = f"{name}({','.join(t + ' ' + n for n, t in fields)})"
    return keccak(keccak(head.encode()) + b"".join(_encode(t, message[n]) for n, t in fields))


def digest_of(domain, name, fields, message):
    kinds = {"name": "string", "version": "string", "chainId": "uint256", "verifyingContract": "address"}
    head = typed_hash("EIP712Domain", [(k, kinds[k]) for k in kinds if k in domain], domain)
    return keccak(b"\x19\x01" + head + typed_hash(name, fields, message))


def action_digest(action, nonce, vault, expires, source="b"):
    raw = pack(action) + nonce.to_bytes(8, "big") + (b"\1" + bytes.fromhex(vault[2:]) if vault else b"\0")
    if expires is not None:
        raw += b"\0" + expires.to_bytes(8, "big")
    domain = {"name": "Exchange", "version": "1", "chainId": 1337, "verifyingContract": "0x" + "0" * 40}
    return digest_of(domain, "Agent", [("source", "string"), ("connectionId", "bytes32")], {"source": source, "connectionId": keccak(raw).hex()})


def plain(d):
    """A Decimal as the exchange's wire has it: no exponent, `.0` behind integers."""
    text = format(Decimal(d).normalize(), "f")
    return text if "." in text else text + ".0"
