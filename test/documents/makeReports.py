# Records the content trees of real reports and key object selections as pydicom reads them, and the measurement groups of
# TID 1500 as highdicom and tid1500reader of dcmqi read them.
#
#   python3 makeReports.py CORPUS LAYERS_DATA > reports.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used. The script
# fails if dsrdump of DCMTK lists other items, in another order, than pydicom does.
import json
import os
import re
import subprocess
import sys
import tempfile

import highdicom
import pydicom

CORPUS, LAYERS = sys.argv[1:]


def code(sequence):
    if not sequence:
        return None
    item = sequence[0]
    value = item.get('CodeValue') or item.get('LongCodeValue') or item.get('URNCodeValue')
    return None if value is None else [str(value), str(item.get('CodingSchemeDesignator', ''))]


def text_of(item):
    """The part of a value that is the same however it is written."""
    kind = item.get('ValueType')
    if kind == 'TEXT':
        return str(item.get('TextValue') or '')
    if kind == 'NUM':
        measured = item.get('MeasuredValueSequence')
        # The text as stored, not a number.
        value = measured[0].get('NumericValue') if measured else None
        return None if value is None or value == '' else str(getattr(value, 'original_string', value))
    if kind == 'CODE':
        return code(item.get('ConceptCodeSequence'))
    if kind == 'PNAME':
        return str(item.get('PersonName') or '')
    if kind in ('DATE', 'TIME', 'DATETIME'):
        return str(item.get({'DATE': 'Date', 'TIME': 'Time', 'DATETIME': 'DateTime'}[kind]) or '')
    if kind == 'UIDREF':
        return str(item.get('UID') or '')
    if kind in ('IMAGE', 'COMPOSITE', 'WAVEFORM'):
        references = item.get('ReferencedSOPSequence')
        return str(references[0].get('ReferencedSOPInstanceUID', '')) if references else None
    if kind in ('SCOORD', 'SCOORD3D'):
        size = 2 if kind == 'SCOORD' else 3
        return [str(item.get('GraphicType')), len(item.get('GraphicData') or []) // size]
    return None


def walk(item, place, rows):
    reference = item.get('ReferencedContentItemIdentifier')
    rows.append([
        place,
        None if place == '1' else str(item.get('RelationshipType', '')),
        str(item.get('ValueType', '')),
        code(item.get('ConceptNameCodeSequence')),
        None if reference is None else '.'.join(str(one) for one in
                                                ([reference] if isinstance(reference, int) else reference)),
        text_of(item),
    ])
    for number, child in enumerate(item.get('ContentSequence') or [], 1):
        walk(child, f'{place}.{number}', rows)
    return rows


LENIENT = ['-q', '-Er', '-Ev', '-Ec', '-Ee', '-Dv']
SHOWN = ['-Ph', '+Pn', '+Pc', '+Pl', '+U8']
ITEM = re.compile(r'^([\d.]+)\s+<([a-z ]*?)\s*([A-Z0-9]+):(?:\(([^,]*),|=)')


def check_with_dcmtk(path, rows):
    """Items by value only. DCMTK does not list all objects that pydicom reads."""
    run = subprocess.run(['dsrdump', *LENIENT, *SHOWN, path], capture_output=True, text=True, errors='replace')
    found = [match.groups() for match in map(ITEM.match, run.stdout.split('\n')) if match]
    if not found:
        return
    listed = [(place, kind, (name or '').strip()) for place, _, kind, name in found]
    # An object without a type of its root is a container for DCMTK.
    expected = [
        (place, kind or 'CONTAINER', concept[0] if concept else '')
        for place, _, kind, concept, reference, _ in rows
        if reference is None
    ]
    assert listed == expected, f'dsrdump lists other items of {path}'
    print(f'{path}: {len(listed)} items as dsrdump', file=sys.stderr)


def groups_of(path):
    """The groups of a report of highdicom: tracking UID, finding, and the measurements with their values."""
    report = highdicom.sr.srread(path)
    found = []
    content = report.content
    for group in [*content.get_planar_roi_measurement_groups(), *content.get_volumetric_roi_measurement_groups(),
                  *content.get_image_measurement_groups()]:
        finding = group.finding_type
        found.append({
            'tracking_uid': group.tracking_uid,
            'finding': None if finding is None else finding.value,
            'measurements': [[one.name.value, float(one.value)] for one in group.get_measurements()],
        })
    return found


def groups_of_dcmqi(path):
    """The same as dcmqi reads them, with the names that trackings have. It leaves out groups without measurements."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, 'groups.json')
        subprocess.run(['tid1500reader', '--inputDICOM', path, '--outputMetadata', output], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(output, encoding='utf-8') as file:
            read = json.load(file)
    return [{
        'tracking_id': group['TrackingIdentifier'],
        'measurements': [[one['quantity']['CodeValue'], float(one['value'])] for one in group['measurementItems']],
    } for group in read.get('Measurements', []) if group.get('measurementItems')]


answers = {'reports': {}, 'groups': {}, 'dcmqi': {}}
for name, root in (('corpus', CORPUS), ('layers-data', LAYERS)):
    for folder, _, files in sorted(os.walk(root)):
        for file in sorted(files):
            path = os.path.join(folder, file)
            key = f'{name}/{os.path.relpath(path, root)}'
            try:
                data = pydicom.dcmread(path)
            except Exception:
                continue
            if not str(data.get('SOPClassUID', '')).startswith('1.2.840.10008.5.1.4.1.1.88.'):
                continue
            answers['reports'][key] = walk(data, '1', [])
            check_with_dcmtk(path, answers['reports'][key])
            try:
                answers['groups'][key] = groups_of(path)
                answers['dcmqi'][key] = groups_of_dcmqi(path)
            except Exception as error:
                print(key, type(error).__name__, error, file=sys.stderr)
json.dump(answers, sys.stdout, ensure_ascii=False, separators=(',', ':'))
