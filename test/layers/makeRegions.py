# Records the regions of real reports, fiducials and annotations of slides, with the standard library of Python only.
#
#   python3 makeRegions.py CORPUS LAYERS_DATA > regions.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used: the files
# are read by the forty lines below, which know explicit little endian only, as these files are written. Coordinates in
# images are recorded with (0, 0) as the centre of the first pixel, so that 0.5 is subtracted (PS3.3 C.18.6.1.1); those in
# space are projected on the slices whose planes they lie in or next to, by the equation of PS3.3 C.7.6.2.1.1.
import json
import os
import struct
import sys

CORPUS, LAYERS = sys.argv[1:]
LONG = {b'OB', b'OD', b'OF', b'OL', b'OV', b'OW', b'SQ', b'UC', b'UN', b'UR', b'UT', b'SV', b'UV'}


def read(data, at, end):
    found = {}
    while at + 8 <= end:
        group, element, vr = struct.unpack_from('<HH2s', data, at)
        tag = group << 16 | element
        if group == 0xFFFE:
            return found, at + 8
        if vr in LONG:
            length, at = struct.unpack_from('<I', data, at + 8)[0], at + 12
        else:
            length, at = struct.unpack_from('<H', data, at + 6)[0], at + 8
        if vr == b'SQ':
            found[tag], at = items(data, at, end if length == 0xFFFFFFFF else at + length)
            continue
        if tag == 0x7FE00010:
            break
        found[tag] = (vr, data[at:at + length])
        at += length
    return found, at


def items(data, at, end):
    listed = []
    while at + 8 <= end:
        tag, length = struct.unpack_from('<HHI', data, at)[1], struct.unpack_from('<I', data, at + 4)[0]
        at += 8
        if tag != 0xE000:
            return listed, at
        item, after = read(data, at, end if length == 0xFFFFFFFF else at + length)
        listed.append(item)
        at = after if length == 0xFFFFFFFF else at + length
    return listed, at


def load(path):
    data = open(path, 'rb').read()
    return read(data, 132, len(data))[0]


def text(item, tag):
    return item[tag][1].decode('latin1').strip(' \0') if tag in item else None


def numbers(item, tag):
    if tag not in item:
        return []
    vr, value = item[tag]
    kind = {b'FL': 'f', b'OF': 'f', b'FD': 'd', b'OD': 'd', b'OL': 'I', b'UL': 'I'}.get(vr)
    if kind is None:
        return [float(part) for part in value.decode('ascii').strip(' \0').split('\\')]
    return list(struct.unpack('<%d%s' % (len(value) // struct.calcsize(kind), kind), value))


def walk(item, group=None, selected=()):
    name = item.get(0x0040A043, [{}])[0]
    if text(name, 0x00080100) == '125007':
        group = item
    if text(item, 0x0040A040) in ('SCOORD', 'SCOORD3D'):
        # Coordinates below others are in the same image.
        own = [text(one, 0x00081155) for child in item.get(0x0040A730, []) for one in child.get(0x00081199, [])]
        selected = own or selected
        yield item, group, selected
    for child in item.get(0x0040A730, []):
        if text(item, 0x0040A040) != 'TEXT':
            yield from walk(child, group, selected)


def label(group):
    for child in (group or {}).get(0x0040A730, []):
        name = child.get(0x0040A043, [{}])[0]
        if text(name, 0x00080100) == '112039' and text(child, 0x0040A040) == 'TEXT':
            return text(child, 0x0040A160)
    return None


def images(root, folder):
    found = {}
    for name in sorted(os.listdir(os.path.join(root, folder))):
        path = f'{folder}/{name}'
        if name.endswith('.dcm'):
            found[path] = load(os.path.join(root, path))
    return found


def project(image, points):
    origin, turn = numbers(image, 0x00200032), numbers(image, 0x00200037)
    down, along = numbers(image, 0x00280030)
    row, column = turn[:3], turn[3:]
    normal = [row[1] * column[2] - row[2] * column[1], row[2] * column[0] - row[0] * column[2],
              row[0] * column[1] - row[1] * column[0]]
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    pixels, distances = [], []
    for at in range(0, len(points), 3):
        offset = [points[at + axis] - origin[axis] for axis in range(3)]
        pixels += [dot(offset, row) / along, dot(offset, column) / down]
        distances.append(dot(offset, normal))
    return pixels, distances


def report(root, path, folder):
    opened = images(root, folder)
    by_uid = {text(image, 0x00080018): name for name, image in opened.items()}
    heights = sorted(numbers(image, 0x00200032)[2] for image in opened.values() if 0x00200032 in image)
    regions = []
    for item, group, selected in walk(load(os.path.join(root, path))):
        kind, data = text(item, 0x00700023), numbers(item, 0x00700022)
        if text(item, 0x0040A040) == 'SCOORD':
            for name in (by_uid.get(uid) for uid in selected):
                if name is not None:
                    regions.append([name, label(group), kind, [value - 0.5 for value in data], 0])
            continue
        if kind == 'POLYGON' and data[-3:] == data[:3]:
            data = data[:-3]
        for name, image in opened.items():
            if text(image, 0x00200052) != text(item, 0x30060024):
                continue
            pixels, distances = project(image, data)
            half = min(abs(a - b) for a in heights for b in heights if a != b) / 2
            if max(abs(mm) for mm in distances) <= half + 0.01:
                regions.append([name, label(group), kind, pixels, max(distances, key=abs)])
    return {'path': path, 'folder': folder, 'regions': regions}


def fiducials(root, path, folder):
    opened = images(root, folder)
    heights = sorted(numbers(image, 0x00200032)[2] for image in opened.values())
    half = (heights[1] - heights[0]) / 2
    found = []
    for group in load(os.path.join(root, path))[0x0070031C]:
        for item in group[0x0070031E]:
            data = numbers(item, 0x30060050)
            for name, image in opened.items():
                pixels, distances = project(image, data)
                if max(abs(mm) for mm in distances) <= half:
                    found.append([name, text(item, 0x00700310), text(item, 0x00700306), pixels, max(distances, key=abs)])
    return {'path': path, 'folder': folder, 'regions': found}


def annotations(root, path, slide):
    groups = []
    for group in load(os.path.join(root, path))[0x006A0002]:
        data = numbers(group, 0x00660016) or numbers(group, 0x00660022)
        groups.append([text(group, 0x006A0005), text(group, 0x00700023), [value - 0.5 for value in data]])
    return {'path': path, 'slide': slide, 'groups': groups}


dwv = [f'sr/dwv/{folder}/{name}' for folder in ('dwv034', 'tid1500-0')
       for name in sorted(os.listdir(os.path.join(CORPUS, 'sr/dwv', folder)))]
print(json.dumps({
    'corpus': [report(CORPUS, path, 'sr/dwv') for path in dwv],
    'layers': [report(LAYERS, 'synthetic-phantom/sr/tid1500_all_regions.dcm', 'synthetic-phantom/ct')],
    'fiducials': fiducials(LAYERS, 'synthetic-phantom/fiducials/fiducials.dcm', 'synthetic-phantom/ct'),
    'annotations': annotations(CORPUS, 'wsi/tiny/sm_annotations.dcm', 'wsi/tiny/sm_image.dcm'),
}, indent=1))
