"""A Maple client and Maple servers, written from the protocol's description alone.

They share no code with the library, so that both sides cannot be wrong in the same way. Python has
no AES of its own, so there is one here: slow, and short.

    peer.py servers   prints the ports of a login and a game server, then reads the port of a
                      gateway in front of them and plays through it
    peer.py client    reads the port of a server that says back what it hears, and talks to it
"""

import os
import socket
import struct
import sys
import threading

VERSION, LOCALE = 83, 8
KEY = b"".join(bytes([byte, 0, 0, 0]) for byte in bytes.fromhex("130806B41B0F3352"))

SHUFFLE = bytes.fromhex("""
EC 3F 77 A4 45 D0 71 BF B7 98 20 FC 4B E9 B3 E1
5C 22 F7 0C 44 1B 81 BD 63 8D D4 C3 F2 10 19 E0
FB A1 6E 66 EA AE D6 CE 06 18 4E EB 78 95 DB BA
B6 42 7A 2A 83 0B 54 67 6D E8 65 E7 2F 07 F3 AA
27 7B 85 B0 26 FD 8B A9 FA BE A8 D7 CB CC 92 DA
F9 93 60 2D DD D2 A2 9B 39 5F 82 21 4C 69 F8 31
87 EE 8E AD 8C 6A BC B5 6B 59 13 F1 04 00 F6 5A
35 79 48 8F 15 CD 97 57 12 3E 37 FF 9D 4F 51 F5
A3 70 BB 14 75 C2 B8 72 C0 ED 7D 68 C9 2E 0D 62
46 17 11 4D 6C C4 7E 53 C1 25 C7 9A 1C 88 58 2C
89 DC 02 64 40 01 5D 38 A5 E2 AF 55 D5 EF 1A 7C
A7 5B A6 6F 86 9F 73 E6 0A DE 2B 99 4A 47 9C DF
09 76 9E 30 0E E4 B2 94 A0 3B 34 1D 28 0F 36 E3
23 B4 03 D8 90 C8 3C FE 5E 32 24 50 1F 3A 43 8A
96 41 74 AC 52 33 F0 D9 29 80 B1 16 D3 AB 91 B9
84 7F 61 1E CF C5 D1 56 3D CA F4 05 C6 E5 08 49
""")


def xtime(a):
    a <<= 1
    return (a ^ 0x1B) & 0xFF if a & 0x100 else a


def make_sbox():
    exp, value = [], 1
    for _ in range(255):
        exp.append(value)
        value ^= xtime(value)
    log = {value: index for index, value in enumerate(exp)}
    box = []
    for byte in range(256):
        inverse = exp[(255 - log[byte]) % 255] if byte else 0
        result = 0x63
        for shift in range(5):
            result ^= ((inverse << shift) | (inverse >> (8 - shift))) & 0xFF
        box.append(result)
    return box


SBOX = make_sbox()


def expand(key):
    words = [list(key[i : i + 4]) for i in range(0, 32, 4)]
    rcon = 1
    for i in range(8, 60):
        word = list(words[i - 1])
        if i % 8 == 0:
            word = [SBOX[b] for b in word[1:] + word[:1]]
            word[0] ^= rcon
            rcon = xtime(rcon)
        elif i % 8 == 4:
            word = [SBOX[b] for b in word]
        words.append([a ^ b for a, b in zip(words[i - 8], word)])
    return [sum(words[r * 4 : r * 4 + 4], []) for r in range(15)]


ROUNDS = expand(KEY)


def encrypt_block(block):
    state = [a ^ b for a, b in zip(block, ROUNDS[0])]
    for number in range(1, 15):
        state = [SBOX[b] for b in state]
        state = [state[(i + 4 * (i % 4)) % 16] for i in range(16)]
        if number < 14:
            mixed = []
            for column in range(0, 16, 4):
                a = state[column : column + 4]
                whole = a[0] ^ a[1] ^ a[2] ^ a[3]
                mixed += [a[i] ^ whole ^ xtime(a[i] ^ a[(i + 1) % 4]) for i in range(4)]
            state = mixed
        state = [a ^ b for a, b in zip(state, ROUNDS[number])]
    return bytes(state)


def keystream(iv, length):
    block, out = iv * 4, b""
    while len(out) < length:
        block = encrypt_block(block)
        out += block
    return out


def aes(data, iv):
    stream = keystream(iv, min(len(data), 1460))
    out, place, chunk = bytearray(), 0, 1456
    while place < len(data):
        part = data[place : place + chunk]
        out += bytes(a ^ b for a, b in zip(part, stream))
        place, chunk = place + chunk, 1460
    return bytes(out)


def next_iv(iv):
    s = [0xF2, 0x53, 0x50, 0xC6]
    for b in iv:
        t = SHUFFLE[b]
        s[0] = (s[0] + SHUFFLE[s[1]] - b) & 0xFF
        s[1] = (s[1] - (s[2] ^ t)) & 0xFF
        s[2] ^= (SHUFFLE[s[3]] + b) & 0xFF
        s[3] = (s[3] - (s[0] - t)) & 0xFF
        v = s[0] | s[1] << 8 | s[2] << 16 | s[3] << 24
        v = (v << 3 | v >> 29) & 0xFFFFFFFF
        s = list(struct.pack("<I", v))
    return bytes(s)


def rotl(x, k):
    k %= 8
    return ((x << k) | (x >> (8 - k))) & 0xFF


def rotr(x, k):
    return rotl(x, 8 - k % 8)


def scramble(data):
    n, x = len(data), list(data)
    for _ in range(3):
        a = 0
        for i in range(n):
            c = (n - i) & 0xFF
            a ^= (rotl(x[i], 3) + c) & 0xFF
            x[i] = (0x47 - rotr(a, c)) & 0xFF
        a = 0
        for i in reversed(range(n)):
            d = (i + 1) & 0xFF
            a ^= (rotl(x[i], 4) + d) & 0xFF
            x[i] = rotr(a ^ 0x13, 3)
    return bytes(x)


def unscramble(data):
    n, x = len(data), list(data)
    for _ in range(3):
        t = [rotl(z, 3) ^ 0x13 for z in x] + [0]
        y = [rotr((t[i] ^ t[i + 1]) - ((i + 1) & 0xFF) & 0xFF, 4) for i in range(n)]
        t = [rotl((0x47 - y[i]) & 0xFF, (n - i) & 0xFF) for i in range(n)]
        before = [0] + t[:-1]
        x = [rotr((t[i] ^ before[i]) - ((n - i) & 0xFF) & 0xFF, 3) for i in range(n)]
    return bytes(x)


class Stream:
    """One end of a connection: `mask` of what it sends, of what it receives, and both IVs."""

    def __init__(self, sock, send_mask, receive_mask, send_iv, receive_iv):
        self.sock = sock
        self.send_mask, self.receive_mask = send_mask, receive_mask
        self.send_iv, self.receive_iv = send_iv, receive_iv

    def send(self, payload):
        a = struct.unpack("<H", self.send_iv[2:])[0] ^ self.send_mask
        body = aes(scramble(payload), self.send_iv)
        self.send_iv = next_iv(self.send_iv)
        self.sock.sendall(struct.pack("<HH", a, a ^ len(payload)) + body)

    def receive(self):
        head = exactly(self.sock, 4)
        if head is None:
            return None
        a, b = struct.unpack("<HH", head)
        assert a ^ self.receive_mask == struct.unpack("<H", self.receive_iv[2:])[0], "header"
        body = exactly(self.sock, a ^ b)
        payload = unscramble(aes(body, self.receive_iv))
        self.receive_iv = next_iv(self.receive_iv)
        return payload


def exactly(sock, count):
    data = b""
    while len(data) < count:
        part = sock.recv(count - len(data))
        if not part:
            return None
        data += part
    return data


def connect(port):
    sock = socket.create_connection(("127.0.0.1", port), timeout=20)
    length = struct.unpack("<H", exactly(sock, 2))[0]
    hello = exactly(sock, length)
    version, size = struct.unpack("<HH", hello[:4])
    assert version == VERSION and hello[4 : 4 + size] == b"1", hello
    to_server, to_client, locale = hello[4 + size : 8 + size], hello[8 + size : 12 + size], hello[-1]
    assert locale == LOCALE and length == 13 + size
    return Stream(sock, VERSION, 0xFFFF - VERSION, to_server, to_client)


def accept(listener):
    sock, _ = listener.accept()
    to_server, to_client = os.urandom(4), os.urandom(4)
    fields = struct.pack("<HH", VERSION, 1) + b"1" + to_server + to_client + bytes([LOCALE])
    sock.sendall(struct.pack("<H", len(fields)) + fields)
    return Stream(sock, 0xFFFF - VERSION, VERSION, to_client, to_server)


def serve(listener, answer):
    def run(stream):
        while (payload := stream.receive()) is not None:
            stream.send(answer(payload))
        stream.sock.close()

    def run_all():
        while True:
            threading.Thread(target=run, args=(accept(listener),), daemon=True).start()

    threading.Thread(target=run_all, daemon=True).start()


def listen():
    return socket.create_server(("127.0.0.1", 0))


CHARACTER = struct.pack("<i", 30001)


def echo(stream):
    for size in [3, 4, 17, 100, 1455, 1456, 1457, 2912, 2913, 5000]:
        payload = b"\x31\0" + os.urandom(size - 2)
        stream.send(payload)
        assert stream.receive() == payload, size


def servers():
    login, game = listen(), listen()
    game_port = game.getsockname()[1]
    address = bytes([127, 0, 0, 1]) + struct.pack("<H", game_port)

    def at_login(payload):
        if payload[:2] == b"\x13\0":
            return b"\x0C\0\0\0" + address + CHARACTER + bytes(5)
        return payload

    def in_game(payload):
        if payload[:2] == b"\x27\0":
            return b"\x10\0\1" + address
        return payload

    serve(login, at_login)
    serve(game, in_game)
    print(login.getsockname()[1], game_port, flush=True)

    port = int(sys.stdin.readline())
    ours = bytes([127, 0, 0, 1]) + struct.pack("<H", port)
    client = connect(port)
    client.send(b"\x01\0name")
    assert client.receive() == b"\x01\0name"
    echo(client)
    client.send(b"\x13\0" + CHARACTER)
    assert client.receive() == b"\x0C\0\0\0" + ours + CHARACTER + bytes(5)
    client.sock.close()
    for _ in range(2):
        client = connect(port)
        comes_in = b"\x14\0" + CHARACTER + bytes(2)
        client.send(comes_in)
        assert client.receive() == comes_in
        echo(client)
        client.send(b"\x27\0\1")
        assert client.receive() == b"\x10\0\1" + ours
        client.sock.close()


def client():
    stream = connect(int(sys.stdin.readline()))
    echo(stream)


# The examples of the protocol's description.
assert keystream(bytes.fromhex("4D23C72B"), 16).hex() == "96ae3fa448fadd904676056197ce7868"
assert next_iv(bytes.fromhex("4D23C72B")).hex() == "9374b162"
assert unscramble(scramble(bytes(range(200)))) == bytes(range(200))

{"servers": servers, "client": client}[sys.argv[1]]()
print("well", flush=True)
