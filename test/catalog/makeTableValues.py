# Records what pydicom (3.0.2) reads of every file of the corpus, for the table of all files.
#
#   python3 makeTableValues.py CORPUS > tableValues.json
#   python3 makeTableValues.py CORPUS FILE    # the lines of one file, to see what differs
#
# Of each file one digest of all values of texts and numbers: of the file meta information, of the data set, and of the first
# two items of sequences, five deep. A line has the path of an element as a column is named, and its values. Numbers have
# fifteen digits, because languages write them differently. Left out are
# - private elements whose VR only pydicom's own list of private elements says (files in implicit VR, and UN),
# - values that pydicom itself refuses, such as text in an Integer String,
# - files that pydicom cannot read to their end, or reads only if it is forced to and otherwise than from the beginning.
import hashlib
import json
import os
import re
import sys
import warnings

import numpy
import pydicom
from pydicom.datadict import dictionary_has_tag, get_entry, keyword_for_tag, tag_for_keyword

warnings.simplefilter('ignore')
CORPUS = sys.argv[1]
BYTES = {'OB', 'OW', 'OF', 'OD', 'OL', 'OV', 'UN'}
NUMBERS = {'US', 'SS', 'UL', 'SL', 'FL', 'FD', 'SV', 'UV', 'IS', 'DS', 'US or SS'}
ONE_TEXT = {'LT', 'ST', 'UT', 'UR'}
# One has bytes before the data set that look like one, one a value that pydicom does not decode by its character set, and of
# one, which ends in the pixel data, pydicom has nothing.
LEFT_OUT = {
    'odd-and-broken/dcm4che/no_preamble_dicm_in_data',
    'charset/gb2312/chrGB2312.dcm',
    'multiframe/emri-small/emri_small_jpeg_2k_lossless_too_short.dcm',
}
# The list of files has these of the file meta information, or of what the bytes show, if the data set has none.
OF_THE_LIST = {'SOPInstanceUID', 'SOPClassUID', 'TransferSyntaxUID'}
MOST_VALUES, MOST_CHARACTERS, DEEPEST, ITEMS = 256, 4096, 5, 2


def name_of(tag):
    if tag.is_private:
        return None
    # Keywords of repeating groups are those of their first group.
    is_first = tag.group in (0x5000, 0x6000)
    keyword = keyword_for_tag(tag) if dictionary_has_tag(tag) or is_first else ''
    if keyword and (is_first or tag_for_keyword(keyword) == int(tag)):
        return keyword
    return '(%04X,%04X)' % (tag.group, tag.elem)


def path_of(data_set, tag):
    if tag.elem == 0:
        return None
    if not tag.is_private:
        return name_of(tag)
    plain = '(%04X,%04X)' % (tag.group, tag.elem)
    if 0x10 <= tag.elem <= 0xFF:
        return plain
    if tag.elem < 0x1000:
        return None
    creator = data_set.get((tag.group << 16) | (tag.elem >> 8))
    text = creator.value.strip() if creator is not None and isinstance(creator.value, str) else ''
    if text == '':
        return plain
    for block in range(0x10, 0x100):
        other = data_set.get((tag.group << 16) | block)
        element = (tag.group << 16) | (block << 8) | (tag.elem & 0xFF)
        if other is not None and other.value == creator.value and element in data_set:
            if block != tag.elem >> 8:
                return None
            break
    return '%04X,xx%02X@%s' % (tag.group, tag.elem & 0xFF, text)


def texts_of(element):
    value = element.value
    if value is None:
        return []
    values = list(value) if isinstance(value, (list, tuple, pydicom.multival.MultiValue)) else [value]
    if element.VR == 'AT':
        return ['(%04X,%04X)' % (each >> 16, each & 0xFFFF) for each in values]
    if element.VR == 'FL' and len(values) > 1:
        return [str(numpy.float32(each)) for each in values]
    return ['' if each is None else str(each) for each in values]


def entry_of(tag):
    """VR and value multiplicity of the standard."""
    try:
        return get_entry(tag)[:2]
    except KeyError:
        return '', ''


def is_one_number(tag):
    vr, multiplicity = ('', '') if tag.is_private else entry_of(tag)
    return vr in NUMBERS and multiplicity == '1'


def cell_of(tag, vr, texts):
    """The text of a cell; None for NULL."""
    if is_one_number(tag):
        # A text in place of a number is none.
        return texts[0] if texts and NUMBER.match(texts[0].strip()) else None
    if vr in ONE_TEXT:
        text = '\\'.join(texts)
    else:
        text = '\\'.join(each for each in (texts or [''])[:MOST_VALUES])
    if len(text) > MOST_CHARACTERS:
        return text[: MOST_CHARACTERS - 1] + '…'
    return text + '\\…' if len(texts) > MOST_VALUES and vr not in ONE_TEXT else text


NUMBER = re.compile(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$')


def plain(text):
    """Without padding, and with numbers written in one way."""
    parts = []
    for part in text.replace('\0', ' ').split('\\'):
        part = part.strip().rstrip('=').strip()
        if NUMBER.match(part) and len(part) <= 40:
            digits, exponent = ('%.14e' % (float(part) + 0.0)).split('e')
            part = '%se%d' % (digits, int(exponent))
        parts.append(part)
    return '\\'.join(parts)


def walk(data_set, prefix, lines, refused, depth):
    for tag in list(data_set.keys()):
        raw = data_set.get_item(tag)
        vr = getattr(raw, 'VR', None)
        path = path_of(data_set, tag)
        if path is None:
            continue
        try:
            element = data_set[tag]
            if element.VR == 'SQ':
                for number, item in enumerate(element.value[:ITEMS] if depth < DEEPEST else []):
                    walk(item, '%s%s[%d].' % (prefix, path, number), lines, refused, depth + 1)
                continue
            # Whatever its VR is, it has no value.
            if tag.is_private and not raw.value:
                lines[prefix + path] = ''
                continue
            is_creator = tag.is_private and 0x10 <= tag.elem <= 0xFF
            is_unknown = tag.is_private and not is_creator and vr in (None, 'UN')
            if element.VR in BYTES or 'OW' in entry_of(tag)[0] or is_unknown:
                continue
            texts = texts_of(element)
        except Exception:
            refused.append(prefix + path)
            continue
        cell = cell_of(tag, element.VR, texts)
        if cell is not None and prefix + path not in OF_THE_LIST:
            lines[prefix + path] = plain(cell)


def lines_of(path):
    """The lines, and the paths of values that pydicom refuses."""
    data_set = pydicom.dcmread(path, force=True)
    lines = {}
    refused = []
    if getattr(data_set, 'file_meta', None) is not None:
        walk(data_set.file_meta, '', lines, refused, 0)
    walk(data_set, '', lines, refused, 0)
    return lines, refused


if len(sys.argv) > 2:
    for path, cell in sorted(lines_of(os.path.join(CORPUS, sys.argv[2]))[0].items()):
        print('%s\t%s' % (path, cell))
    sys.exit()

recorded = {}
for folder, _, names in os.walk(CORPUS):
    for name in names:
        path = os.path.relpath(os.path.join(folder, name), CORPUS)
        try:
            lines, refused = lines_of(os.path.join(CORPUS, path))
        except Exception:
            continue
        if not lines or path in LEFT_OUT:
            continue
        text = ''.join('%s\t%s\n' % line for line in sorted(lines.items()))
        digest = hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]
        # Values that pydicom refuses are named, so that the test leaves them out, too.
        recorded[path] = [digest, *sorted(refused)]
json.dump(dict(sorted(recorded.items())), sys.stdout, indent=0, ensure_ascii=False)
