"""Draws look-0.png … look-3.png: one street at night under four lights. Standard library only; the same bytes each time."""

import math
import struct
import zlib

WIDTH, HEIGHT, HORIZON = 480, 270, 150
# Sky, street, lamps, windows; how hard it rains.
LOOKS = [
    ((16, 20, 38), (24, 24, 30), (255, 176, 72), (255, 206, 130), 0.55),  # sodium
    ((10, 26, 40), (16, 28, 36), (96, 226, 230), (236, 110, 190), 0.90),  # neon
    ((46, 30, 54), (38, 28, 40), (255, 132, 92), (255, 190, 160), 0.15),  # dusk
    ((14, 16, 18), (22, 23, 25), (214, 226, 238), (170, 186, 205), 0.35),  # moon
]
LAMPS = [(70, 92, 1.0), (178, 116, 0.62), (236, 128, 0.42), (302, 116, 0.62), (410, 92, 1.0)]


def chance(*numbers):
    """A number from 0 to 1 that these numbers always give."""
    return zlib.crc32(repr(numbers).encode()) / 0xFFFFFFFF


def building(x):
    """Top of the row of houses at x, and which house it is."""
    side = abs(x - WIDTH / 2) / (WIDTH / 2)
    house = int(side * 6) + (10 if x > WIDTH / 2 else 0)
    return HORIZON - int(18 + 120 * side * (0.75 + 0.25 * chance(house))), house


def glow(x, y, look):
    """Light of the lamps, and of the wet street that mirrors them."""
    sum_ = 0.0
    for at, top, size in LAMPS:
        near = math.hypot(x - at, y - top) / (34 * size)
        sum_ += size * math.exp(-near * near) + 0.35 * size * math.exp(-near / 2.2)
        if y > HORIZON:
            wide = (x - at) / (10 * size + (y - HORIZON) * 0.10)
            ripple = 0.75 + 0.25 * math.sin(y * 0.9 + chance(at, y // 2) * 5)
            sum_ += 0.7 * size * ripple * math.exp(-wide * wide) * (1 - (y - HORIZON) / 180)
    return sum_


def pixel(x, y, look, number):
    sky, street, lamp, window, rain = look
    top, house = building(x)
    if y >= HORIZON:
        base = [part * (0.55 + 0.45 * (y - HORIZON) / (HEIGHT - HORIZON)) for part in street]
    elif y >= top:
        base = [part * 0.45 for part in street]
        column, row = x // 9, (y - top) // 12
        if x % 9 > 3 and (y - top) % 12 > 5 and chance(number, house, column, row) > 0.72:
            base = [part * 0.65 for part in window]
    else:
        base = [part * (0.5 + 0.6 * y / HORIZON) for part in sky]
    light = glow(x, y, look)
    if chance(number, (x + y // 3) // 2, (y + 37 * x) // 23) > 1 - 0.05 * rain:
        light += 0.12
    return bytes(min(255, int(part + light * other)) for part, other in zip(base, lamp))


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


for number, look in enumerate(LOOKS):
    rows, above = [], bytes(3 * WIDTH)
    for y in range(HEIGHT):
        row = b"".join(pixel(x, y, look, number) for x in range(WIDTH))
        rows.append(b"\x02" + bytes((a - b) & 255 for a, b in zip(row, above)))
        above = row
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(rows), 9)) + chunk(b"IEND", b"")
    with open(f"look-{number}.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + body)
