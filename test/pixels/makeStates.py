# Records the pictures that presentation states of the corpus and of the layers data describe, as hashes of their bytes.
#
# It has its own reader of explicit little endian files and its own arithmetic, from PS3.3 C.11 and PS3.4 N.2, and needs
# nothing but Python: python3 makeStates.py CORPUS LAYERS_DATA > states.json

import hashlib
import json
import math
import struct
import sys

CORPUS, LAYERS = sys.argv[1:3]
LONG = {b'OB', b'OW', b'SQ', b'UN', b'UT', b'OF', b'OD', b'UC', b'UR', b'OL', b'OV', b'SV', b'UV'}


def parse(data, at, end):
    found = {}
    while at < end:
        group, element = struct.unpack_from('<HH', data, at)
        if group == 0xFFFE:
            return found, at + 8
        vr = data[at + 4 : at + 6]
        if vr in LONG:
            length = struct.unpack_from('<I', data, at + 8)[0]
            at += 12
        else:
            length = struct.unpack_from('<H', data, at + 6)[0]
            at += 8
        tag = group << 16 | element
        if vr == b'SQ':
            items = []
            stop = end if length == 0xFFFFFFFF else at + length
            while at < stop:
                _, kind, size = struct.unpack_from('<HHI', data, at)
                at += 8
                if kind == 0xE0DD:
                    break
                if size == 0xFFFFFFFF:
                    item, at = parse(data, at, end)
                else:
                    item, _ = parse(data, at, at + size)
                    at += size
                items.append(item)
            found[tag] = items
        else:
            found[tag] = (vr, data[at : at + length])
            at += length
    return found, at


def read(path):
    data = open(path, 'rb').read()
    return parse(data, 132, len(data))[0]


def words(item, tag):
    data = item[tag][1]
    return struct.unpack(f'<{len(data) // 2}H', data)


def number(item, tag, default=None):
    if tag not in item:
        return default
    vr, data = item[tag]
    if vr == b'US':
        return struct.unpack('<H', data)[0]
    return float(data.decode().strip(' \0').split('\\')[0])


def text(item, tag):
    return item[tag][1].decode('latin-1').strip(' \0') if tag in item else None


def table(item):
    count, first, bits = words(item, 0x00283002)
    entries = words(item, 0x00283006)
    return first, entries[: count or 65536], bits


def look_up(lut, value):
    first, entries, _ = lut
    return entries[min(max(math.floor(value + 0.5) - first, 0), len(entries) - 1)]


def bits_of(data, count):
    return [data[i >> 3] >> (i & 7) & 1 for i in range(count)]


def show(image, state):
    rows, columns = number(image, 0x00280010), number(image, 0x00280011)
    stored, high = number(image, 0x00280101), number(image, 0x00280102)
    data = image[0x7FE00010][1]
    samples = list(data) if number(image, 0x00280100) == 8 else list(words(image, 0x7FE00010))
    mask = 2**stored - 1

    modality = table(state[0x00283000][0]) if 0x00283000 in state else None
    slope, intercept = number(state, 0x00281053, 1), number(state, 0x00281052, 0)
    low, high_value = (0, 2 ** modality[2] - 1) if modality else (intercept, slope * mask + intercept)
    voi = state[0x00283110][0] if 0x00283110 in state else {}
    center, width = number(voi, 0x00281050), number(voi, 0x00281051)
    voi_lut = table(voi[0x00283010][0]) if 0x00283010 in voi else None
    presentation = table(state[0x20500010][0]) if 0x20500010 in state else None
    palette = [words(state, tag) for tag in (0x00281201, 0x00281202, 0x00281203)] if 0x00281201 in state else None

    def part(value):
        if center is not None:
            if value <= center - 0.5 - (width - 1) / 2:
                return 0
            if value > center - 0.5 + (width - 1) / 2:
                return 1
            return (value - (center - 0.5)) / (width - 1) + 0.5
        if voi_lut:
            return look_up(voi_lut, value) / (2 ** voi_lut[2] - 1)
        return (value - low) / (high_value - low)

    def pixel(sample):
        value = look_up(modality, sample) if modality else slope * sample + intercept
        seen = part(value)
        if palette:
            at = math.floor(seen * (len(palette[0]) - 1) + 0.5)
            return bytes(channel[at] >> 8 for channel in palette)
        if presentation:
            entries = presentation[1]
            seen = entries[math.floor(seen * (len(entries) - 1) + 0.5)] / (2 ** presentation[2] - 1)
        elif text(state, 0x20500020) == 'INVERSE':
            seen = 1 - seen
        return bytes([math.floor(seen * 255 + 0.5)])

    known = {}
    pixels = []
    for sample in samples:
        own = sample & mask
        if own not in known:
            known[own] = pixel(own)
        pixels.append(known[own])

    if text(state, 0x00181600) == 'RECTANGULAR':
        left, right, upper, lower = (number(state, 0x00181600 + at) for at in (2, 4, 6, 8))
        for at in range(rows * columns):
            row, column = at // columns + 1, at % columns + 1
            if not (left <= column <= right and upper <= row <= lower):
                pixels[at] = bytes([number(state, 0x00181622) >> 8])
    for group in range(0x6000, 0x6020, 2):
        if text(state, group << 16 | 0x1001) is None:
            continue
        owner = state if (group << 16 | 0x0010) in state else image
        if (group << 16 | 0x3000) in owner:
            over = bits_of(owner[group << 16 | 0x3000][1], rows * columns)
        else:
            over = [sample >> number(owner, group << 16 | 0x0102) & 1 for sample in samples]
        for at, isSet in enumerate(over):
            if isSet:
                pixels[at] = b'\xff'
    return b''.join(pixels)


STATES = f'{CORPUS}/presentation-state'
PHANTOM = f'{LAYERS}/synthetic-phantom'
found = {}


def record(name, image_path, state_path):
    pixels = show(read(image_path), read(state_path))
    found[name] = {'sha256': hashlib.sha256(pixels).hexdigest(), 'bytes': len(pixels), 'sum': sum(pixels)}


record('LUTs', f'{STATES}/weasis/imageForPrLUTs.dcm', f'{STATES}/weasis/prLUTs.dcm')
record('overlays', f'{STATES}/weasis/overlay.dcm', f'{STATES}/weasis/prOverlay.dcm')
for number_of in range(1, 7):
    base = f'{STATES}/clearcanvas/real0{number_of}'
    record(f'real0{number_of}', f'{base}.dcm', f'{base}.pr.dcm')


def find_image(state):
    uid = state[0x00081115][0][0x00081140][0][0x00081155][1]
    import glob

    for path in sorted(glob.glob(f'{PHANTOM}/ct/*.dcm')):
        if read(path)[0x00080018][1] == uid:
            return path
    raise SystemExit('the image of a state is missing')


for name, file in (('inverse', 'gsps_all_graphics_rot90_flip'), ('pseudo-color', 'pseudo_color')):
    path = f'{PHANTOM}/pr/{file}.dcm'
    image_path = find_image(read(path))
    record(name, image_path, path)
    found[name]['image'] = image_path.removeprefix(f'{PHANTOM}/')

print(json.dumps(found, indent=2))
