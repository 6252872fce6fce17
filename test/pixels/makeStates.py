# Records what presentation states show, with pydicom, highdicom and numpy.
#
#   python3 makeStates.py CORPUS LAYERS_DATA > states.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used. The cases
# that are written here and by the tests are in stateCases.json, where `ramp` is a table: entry i is
# ((start + i * step) mod modulo) >> shift. The files are read by pydicom; windows and tables are applied by highdicom,
# palettes by pydicom, and the rest is arithmetic with numpy from PS3.3 C.10 and C.11 and PS3.4 N.2. The output has:
# - `real`: of states of the two folders, the SHA-256 of the pixels that they show, and their graphics and texts. The
#   script fails if dcmp2pgm of DCMTK shows other pixels, apart from rounding.
# - `states`: of the written states, the pixels that they show; null where a pixel lies on the edge of a shutter.
# - `compounds`: the points of written compound graphics, turned counterclockwise (PS3.3 C.10.5.1.2).
# - `highdicom`: a state that highdicom wrote, as Base64, with the pixels and the graphics that it shows.
# - `blends`: of written blending states, the RGB values of all pixels, as floats from 0 to 255 (PS3.4 N.2.4.3).
# - `areas`: where the corners of displayed areas are on a canvas (upper left, upper right, lower right and lower left as
#   they are stored), for the four rotations without and with flip.
import base64
import glob
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile

import highdicom
import numpy
import pydicom
from highdicom.pixels import apply_lut, apply_voi_window
from pydicom.datadict import dictionary_VR, tag_for_keyword
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.pixels import apply_color_lut

CORPUS, LAYERS = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
CASES = json.load(open(f'{HERE}/stateCases.json'))


def expand(ramp):
    count, start, step, modulo, shift = ramp
    return [((start + at * step) % modulo) >> shift for at in range(count)]


# ---- written files ----


def build(elements):
    dataset = Dataset()
    for key, value in elements.items():
        tag = tag_for_keyword(key) or int(key, 16)
        vr = value['vr'] if isinstance(value, dict) and 'vr' in value else dictionary_VR(tag)
        if isinstance(value, dict):
            if 'ramp' in value:
                vr, value = 'OW', numpy.array(expand(value['ramp']), '<u2').tobytes()
            elif 'bytes' in value:
                value = bytes(value['bytes'])
            else:
                value = value['value']
        elif vr == 'SQ':
            value = [build(item) for item in value]
        dataset.add_new(tag, 'US' if vr == 'US or SS' else vr, value)
    return dataset


def through_file(dataset):
    """As pydicom reads it from a file."""
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = dataset.get('SOPClassUID', '1.2.3')
    meta.MediaStorageSOPInstanceUID = '1.2.3'
    dataset.file_meta = meta
    file = io.BytesIO()
    pydicom.dcmwrite(file, dataset, enforce_file_format=True)
    file.seek(0)
    return pydicom.dcmread(file)


def build_image(name):
    case = CASES['images'][name]
    samples = numpy.array(expand(case['samples']['ramp']), '<u2')
    dataset = build({'SOPClassUID': '1.2.840.10008.5.1.4.1.1.2', 'SamplesPerPixel': 1, **case['elements']})
    dataset.add_new('PixelData', 'OW', samples.tobytes())
    return through_file(dataset)


# ---- pixels ----


def words(item):
    count, first, bits = item.LUTDescriptor
    data = item.LUTData
    entries = numpy.frombuffer(data, '<u2') if isinstance(data, bytes) else numpy.array(data, 'u2')
    return entries[: count or 65536], int(first), int(bits)


def look_up(item, values):
    entries, first, _ = words(item)
    return apply_lut(numpy.floor(values + 0.5).astype(int), entries, first).astype(float)


def show_part(image, part):
    """Modality and VOI transformation of a part of a state, from 0 to 1."""
    samples = image.pixel_array.astype(int)
    # Bits above those that are stored are overlays.
    stored = int(image.BitsStored)
    if image.PixelRepresentation == 0:
        samples = samples & (2**stored - 1)
    lowest = -(2 ** (stored - 1)) if image.PixelRepresentation == 1 else 0
    ends = numpy.array([lowest, lowest + 2**stored - 1], float)
    if 'ModalityLUTSequence' in part:
        table = part.ModalityLUTSequence[0]
        values = look_up(table, samples)
        ends = numpy.array([0, 2 ** words(table)[2] - 1])
    else:
        slope, intercept = float(part.get('RescaleSlope', 1)), float(part.get('RescaleIntercept', 0))
        values, ends = samples * slope + intercept, ends * slope + intercept
    voi = part.SoftcopyVOILUTSequence[0] if 'SoftcopyVOILUTSequence' in part else Dataset()
    if 'WindowCenter' in voi:
        centers, widths = (numpy.atleast_1d(voi[key].value) for key in ('WindowCenter', 'WindowWidth'))
        return apply_voi_window(values, float(centers[0]), float(widths[0]), voi.get('VOILUTFunction', 'LINEAR'))
    if 'VOILUTSequence' in voi:
        table = voi.VOILUTSequence[0]
        return look_up(table, values) / (2 ** words(table)[2] - 1)
    return (values - ends.min()) / (ends.max() - ends.min())


def color(part, state):
    """The palette's colors, from 0 to 255."""
    count = state.RedPaletteColorLookupTableDescriptor[0] or 65536
    at = numpy.floor(part * (count - 1) + 0.5).astype(numpy.uint16)
    return apply_color_lut(at, state) >> 8


def show(image, state, rounding=0.5):
    part = show_part(image, state)
    if 'RedPaletteColorLookupTableData' in state:
        pixels = color(part, state)
    else:
        if 'PresentationLUTSequence' in state:
            entries, _, bits = words(state.PresentationLUTSequence[0])
            part = entries[numpy.floor(part * (len(entries) - 1) + 0.5).astype(int)] / (2**bits - 1)
        elif state.get('PresentationLUTShape') == 'INVERSE':
            part = 1 - part
        pixels = numpy.floor(part * 255 + rounding).astype(int)
    hidden, edge = cover(state, pixels.shape[:2])
    pixels = pixels.astype(int)
    pixels[hidden] = int(state.get('ShutterPresentationValue', 0)) >> 8
    for group in range(0x6000, 0x6020, 2):
        if (group, 0x1001) not in state:
            continue
        owner = state if (group, 0x0010) in state else image
        pixels[overlay(owner, group, pixels.shape[:2])] = 255
    return pixels, edge


def overlay(owner, group, shape):
    if (group, 0x3000) in owner:
        return owner.overlay_array(group).astype(bool)
    bit = owner[group, 0x0102].value
    data = numpy.frombuffer(owner.PixelData, f'<u{owner.BitsAllocated // 8}')[: shape[0] * shape[1]]
    return ((data >> bit) & 1).astype(bool).reshape(shape)


def cover(state, shape):
    """What shutters hide, and the pixels on the edge of a polygon, which may be hidden or not."""
    rows, columns = numpy.mgrid[1 : shape[0] + 1, 1 : shape[1] + 1]
    hidden, edge = numpy.zeros(shape, bool), numpy.zeros(shape, bool)
    shapes = state.get('ShutterShape', [])
    for name in [shapes] if isinstance(shapes, str) else shapes:
        if name == 'RECTANGULAR':
            hidden |= (columns < state.ShutterLeftVerticalEdge) | (columns > state.ShutterRightVerticalEdge)
            hidden |= (rows < state.ShutterUpperHorizontalEdge) | (rows > state.ShutterLowerHorizontalEdge)
        elif name == 'CIRCULAR':
            row, column = state.CenterOfCircularShutter
            hidden |= (rows - row) ** 2 + (columns - column) ** 2 > state.RadiusOfCircularShutter**2
        elif name == 'POLYGONAL':
            corners = numpy.array(state.VerticesOfThePolygonalShutter, float).reshape(-1, 2)
            inside = numpy.zeros(shape, bool)
            for (r0, c0), (r1, c1) in zip(corners, numpy.roll(corners, -1, axis=0)):
                across = (r1 - r0) * (columns - c0) - (c1 - c0) * (rows - r0)
                along = (rows - r0) * (rows - r1) + (columns - c0) * (columns - c1)
                edge |= (across == 0) & (along <= 0)
                with numpy.errstate(divide='ignore', invalid='ignore'):
                    crossing = c0 + (rows - r0) / (r1 - r0) * (c1 - c0)
                inside ^= ((r0 > rows) != (r1 > rows)) & (columns < crossing)
            hidden |= ~inside & ~edge
        elif name == 'BITMAP':
            hidden |= state.overlay_array(state.ShutterOverlayGroup).astype(bool)
    return hidden, edge


# ---- graphics ----

CORNER = 0.5


def place(points, units):
    return [float(value) if units == 'DISPLAY' else float(value) - CORNER for value in points]


def list_graphics(state):
    found = []
    for annotation in state.get('GraphicAnnotationSequence', []):
        for graphic in annotation.get('GraphicObjectSequence', []):
            units = graphic.GraphicAnnotationUnits
            found.append(
                {
                    'shape': graphic.GraphicType.lower(),
                    'units': units.lower(),
                    'points': place(graphic.GraphicData, units),
                    'filled': graphic.get('GraphicFilled') == 'Y',
                }
            )
        for text in annotation.get('TextObjectSequence', []):
            item = {'shape': 'text', 'value': text.UnformattedTextValue.replace('\r\n', '\n').replace('\r', '\n')}
            if 'BoundingBoxTopLeftHandCorner' in text:
                units = text.BoundingBoxAnnotationUnits
                corners = [*text.BoundingBoxTopLeftHandCorner, *text.BoundingBoxBottomRightHandCorner]
                item['box'] = {'units': units.lower(), 'corners': place(corners, units)}
            if 'AnchorPoint' in text:
                units = text.AnchorPointAnnotationUnits
                item['anchor'] = {'units': units.lower(), 'point': place(text.AnchorPoint, units)}
            found.append(item)
    return found


def check_with_dcmtk(image_path, state_path):
    """dcmp2pgm rounds down, takes the upper 8 bits without a VOI, and draws neither shutters nor overlays."""
    image, state = pydicom.dcmread(image_path), pydicom.dcmread(state_path)
    if state.SOPClassUID != pydicom.uid.GrayscaleSoftcopyPresentationStateStorage:
        return
    for key in [element.tag for element in state if element.tag.group >> 8 == 0x60] + ['ShutterShape']:
        if key in state:
            del state[key]
    # Window functions of numpy are exact to about 1e-13.
    expected, _ = show(image, state, rounding=1e-9)
    # Clockwise, then flipped (PS3.3 C.10.6).
    expected = numpy.rot90(expected, -int(state.get('ImageRotation', 0)) // 90)
    if state.get('ImageHorizontalFlip') == 'Y':
        expected = expected[:, ::-1]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['dcmp2pgm', '-p', state_path, image_path, f'{folder}/shown.pgm'], check=True)
        data = open(f'{folder}/shown.pgm', 'rb').read()
    found = numpy.frombuffer(data[-expected.size :], numpy.uint8).reshape(expected.shape)
    most = 0 if 'SoftcopyVOILUTSequence' in state else 1
    assert (abs(found - expected) <= most).all(), f'dcmp2pgm shows {state_path} otherwise'


def record_real(image_path, state_path, base):
    image, state = pydicom.dcmread(image_path), pydicom.dcmread(state_path)
    pixels, _ = show(image, state)
    check_with_dcmtk(image_path, state_path)
    data = pixels.astype(numpy.uint8).tobytes()
    return {
        'image': os.path.relpath(image_path, base),
        'state': os.path.relpath(state_path, base),
        'sha256': hashlib.sha256(data).hexdigest(),
        'bytes': len(data),
        'graphics': list_graphics(state),
    }


def find_image(state_path):
    uid = pydicom.dcmread(state_path).ReferencedSeriesSequence[0].ReferencedImageSequence[0].ReferencedSOPInstanceUID
    paths = sorted(glob.glob(f'{LAYERS}/synthetic-phantom/ct/*.dcm'))
    return next(path for path in paths if pydicom.dcmread(path, stop_before_pixels=True).SOPInstanceUID == uid)


FOLDER = f'{CORPUS}/presentation-state'
pairs = [('weasis/imageForPrLUTs', 'weasis/prLUTs'), ('weasis/overlay', 'weasis/prOverlay')]
pairs += [(f'clearcanvas/real0{at}', f'clearcanvas/real0{at}.pr') for at in range(1, 7)]
real = {
    'corpus': [record_real(f'{FOLDER}/{image}.dcm', f'{FOLDER}/{state}.dcm', CORPUS) for image, state in pairs],
    'layers': [
        record_real(find_image(path), path, LAYERS)
        for path in (f'{LAYERS}/synthetic-phantom/pr/{name}.dcm' for name in ('gsps_all_graphics_rot90_flip', 'pseudo_color'))
    ],
}

# ---- written states ----

states = {}
for name, case in CASES['states'].items():
    pixels, edge = show(build_image(case['image']), through_file(build(case['elements'])))
    listed = pixels.reshape(edge.size, -1).tolist()
    states[name] = [None if on_edge else pixel for pixel, on_edge in zip(listed, edge.ravel().tolist())]

blends = {}
for name, case in CASES['blends'].items():
    palette = through_file(build(CASES['palette']))
    gray = show_part(build_image('under'), through_file(build(case['under'])))[..., None] * 255
    over = color(show_part(build_image('over'), through_file(build(case['over']))), palette)
    mixed = over * case['opacity'] + gray * (1 - case['opacity'])
    blends[name] = numpy.round(mixed.reshape(-1, 3), 4).tolist()

# ---- compound graphics ----


def place_compound(case):
    points = numpy.array(case['GraphicData'], float).reshape(-1, 2)
    (x1, y1), (x2, y2) = points[0], points[-1]
    if case['CompoundGraphicType'] == 'RECTANGLE':
        points = numpy.array([[x1, y1], [x2, y1], [x2, y2], [x1, y2]])
    elif case['CompoundGraphicType'] == 'ELLIPSE':
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        points = numpy.array([[x1, y], [x2, y], [x, y1], [x, y2]])
    # Counterclockwise as it is seen: rows go down.
    angle, center = numpy.deg2rad(case.get('RotationAngle', 0)), numpy.array(case.get('RotationPoint', [0, 0]))
    cosine, sine = numpy.cos(angle), numpy.sin(angle)
    turned = (points - center) @ numpy.array([[cosine, sine], [-sine, cosine]]).T + center
    return place(turned.ravel(), case['CompoundGraphicUnits'])


compounds = [place_compound(case) for case in CASES['compounds']]

# ---- a state of highdicom ----


def write_with_highdicom():
    image = build_image('ramp')
    image.update(
        build(
            {
                'SOPInstanceUID': '2.25.1',
                'StudyInstanceUID': '2.25.502',
                'SeriesInstanceUID': '2.25.501',
                'Modality': 'CT',
                'RescaleSlope': '2',
                'RescaleIntercept': '-1024',
                'RescaleType': 'HU',
                **{key: '' for key in ('PatientID', 'PatientName', 'PatientBirthDate', 'PatientSex', 'StudyID')},
                **{key: '' for key in ('StudyDate', 'StudyTime', 'AccessionNumber', 'ReferringPhysicianName')},
            }
        )
    )
    layer = highdicom.pr.GraphicLayer('LAYER', order=1, display_color=highdicom.color.CIELabColor(60, 40, -30))
    shapes = [
        ('POLYLINE', [[1, 1], [5.5, 2.25], [3, 4]], 'PIXEL', False),
        ('CIRCLE', [[4, 3], [6, 3]], 'PIXEL', True),
        ('ELLIPSE', [[1, 3], [7, 3], [4, 2], [4, 4]], 'PIXEL', False),
        ('INTERPOLATED', [[0.1, 0.1], [0.5, 0.25], [0.9, 0.1]], 'DISPLAY', False),
        ('POINT', [[2.5, 3.5]], 'PIXEL', False),
    ]
    annotation = highdicom.pr.GraphicAnnotation(
        [image],
        layer,
        graphic_objects=[
            highdicom.pr.GraphicObject(kind, numpy.array(points, float), units, is_filled=is_filled)
            for kind, points, units, is_filled in shapes
        ],
        text_objects=[
            highdicom.pr.TextObject('in a box', 'PIXEL', bounding_box=(1, 2, 6, 4)),
            highdicom.pr.TextObject('at a point', 'DISPLAY', anchor_point=(0.25, 0.75)),
        ],
    )
    state = highdicom.pr.GrayscaleSoftcopyPresentationState(
        referenced_images=[image],
        series_instance_uid='2.25.901',
        series_number=1,
        sop_instance_uid='2.25.900',
        instance_number=1,
        manufacturer='highdicom',
        manufacturer_model_name='highdicom',
        software_versions=highdicom.__version__,
        device_serial_number='1',
        content_label='HIGHDICOM',
        graphic_annotations=[annotation],
        graphic_layers=[layer],
        voi_lut_transformations=[highdicom.pr.SoftcopyVOILUTTransformation(window_center=1000, window_width=3000)],
    )
    file = io.BytesIO()
    state.save_as(file)
    read = pydicom.dcmread(io.BytesIO(file.getvalue()))
    pixels, _ = show(image, read)
    return {
        'file': base64.b64encode(file.getvalue()).decode(),
        'pixels': pixels.ravel().tolist(),
        'graphics': list_graphics(read),
    }


# ---- areas ----


def place_area(area, turns, is_flipped):
    """Corners on the canvas: turned clockwise, then flipped, then in the middle of the canvas."""
    width, height = CASES['canvas']
    x1, y1 = area['DisplayedAreaTopLeftHandCorner']
    x2, y2 = area['DisplayedAreaBottomRightHandCorner']
    # Outer corners, counted from the upper left corner of the first pixel.
    left, right, top, bottom = min(x1, x2) - 1, max(x1, x2), min(y1, y2) - 1, max(y1, y2)
    corners = numpy.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)
    centered = corners - corners.mean(axis=0)
    for _ in range(turns):
        centered = numpy.stack([-centered[:, 1], centered[:, 0]], axis=1)
    if is_flipped:
        centered[:, 0] *= -1
    size = centered.max(axis=0) - centered.min(axis=0)
    mode = area['PresentationSizeMode']
    if mode == 'MAGNIFY':
        scale = area['PresentationPixelMagnificationRatio']
    elif mode == 'TRUE SIZE':
        scale = float(area['PresentationPixelSpacing'][1]) * 96 / 25.4
    else:
        scale = min(width / size[0], height / size[1])
    return (centered * scale + [width / 2, height / 2]).round(6).tolist()


areas = [
    [place_area(area, turns, is_flipped) for is_flipped in (False, True) for turns in range(4)]
    for area in CASES['areas']
]

recorded = {
    'real': real,
    'states': states,
    'compounds': compounds,
    'highdicom': write_with_highdicom(),
    'blends': blends,
    'areas': areas,
}
json.dump(recorded, sys.stdout, separators=(',', ':'))
print()
