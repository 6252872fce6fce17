# Records the regions of real reports, fiducials and annotations of slides, as pydicom and highdicom read them.
#
#   python3 makeRegions.py CORPUS LAYERS_DATA > regions.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used. Coordinates
# in images are recorded with (0, 0) as the centre of the first pixel, so that 0.5 is subtracted (PS3.3 C.18.6.1.1); those
# in space are projected by highdicom on the slices whose planes they lie in or next to. highdicom writes the object of
# `measured`, because no real one has values of only some annotations; what it reads back is recorded beside it.
import base64
import io
import json
import os
import sys

import highdicom
import numpy
import pydicom
from pydicom.sr.codedict import codes

CORPUS, LAYERS = sys.argv[1:]


def walk(item, group=None, selected=()):
    name = item.get('ConceptNameCodeSequence')
    if name and name[0].get('CodeValue') == '125007':
        group = item
    if item.get('ValueType') in ('SCOORD', 'SCOORD3D'):
        # Coordinates below others are in the same image.
        own = [one.ReferencedSOPInstanceUID for child in item.get('ContentSequence', [])
               for one in child.get('ReferencedSOPSequence', [])]
        selected = own or selected
        yield item, group, selected
    for child in item.get('ContentSequence', []):
        if item.get('ValueType') != 'TEXT':
            yield from walk(child, group, selected)


def label(group):
    for child in (group or {}).get('ContentSequence', []):
        name = child.get('ConceptNameCodeSequence')
        if child.get('ValueType') == 'TEXT' and name and name[0].get('CodeValue') == '112039':
            return child.TextValue
    return None


def images(root, folder):
    names = sorted(name for name in os.listdir(os.path.join(root, folder)) if name.endswith('.dcm'))
    return {f'{folder}/{name}': pydicom.dcmread(os.path.join(root, folder, name), stop_before_pixels=True)
            for name in names}


def project(image, points):
    transform = highdicom.spatial.ReferenceToPixelTransformer(
        image_position=image.ImagePositionPatient,
        image_orientation=image.ImageOrientationPatient,
        pixel_spacing=image.PixelSpacing,
        round_output=False,
    )
    found = transform(numpy.asarray(points, dtype=float))
    # The third number is the distance in slices of 1 mm.
    return found[:, :2].reshape(-1).tolist(), found[:, 2].tolist()


def halfway(opened):
    heights = sorted(float(image.ImagePositionPatient[2]) for image in opened.values() if 'ImagePositionPatient' in image)
    return min((b - a for a, b in zip(heights, heights[1:])), default=0) / 2


# A circle has one radius in millimetres, so that it is an ellipse of pixels that are not square: the ends of two diameters.
def in_image(read, spacing):
    points = read.value - 0.5
    down, across = (float(mm) for mm in spacing)
    if read.graphic_type.value != 'CIRCLE' or down == across:
        return read.graphic_type.value, points
    (x, y), (dx, dy) = points[0], points[1] - points[0]
    mm = numpy.hypot(dx * across, dy * down)
    x_radius, y_radius = mm / across, mm / down
    return 'ELLIPSE', numpy.array([[x - x_radius, y], [x + x_radius, y], [x, y - y_radius], [x, y + y_radius]])


def report(root, path, folder):
    opened = images(root, folder)
    by_uid = {image.SOPInstanceUID: name for name, image in opened.items()}
    half = halfway(opened)
    regions = []
    for item, group, selected in walk(pydicom.dcmread(os.path.join(root, path))):
        name = item.get('ConceptNameCodeSequence')
        is_region = bool(name) and name[0].get('CodeValue') == '111030' and 'ContentSequence' in item
        if item.ValueType == 'SCOORD':
            kind = highdicom.sr.ImageRegion if is_region else highdicom.sr.ScoordContentItem
            read = kind.from_dataset(item)
            for image in (by_uid.get(uid) for uid in selected):
                if image is not None:
                    shape, points = in_image(read, opened[image].get('PixelSpacing', [1, 1]))
                    regions.append([image, label(group), shape, points.reshape(-1).tolist(), 0])
            continue
        kind = highdicom.sr.ImageRegion3D if is_region else highdicom.sr.Scoord3DContentItem
        read = kind.from_dataset(item)
        points = read.value
        if read.graphic_type.value == 'POLYGON' and (points[0] == points[-1]).all():
            points = points[:-1]
        for image, data_set in opened.items():
            if data_set.get('FrameOfReferenceUID') != read.frame_of_reference_uid:
                continue
            pixels, distances = project(data_set, points)
            if max(abs(mm) for mm in distances) <= half + 0.01:
                regions.append([image, label(group), read.graphic_type.value, pixels, max(distances, key=abs)])
    return {'path': path, 'folder': folder, 'regions': regions}


def fiducials(root, path, folder):
    opened = images(root, folder)
    half = halfway(opened)
    found = []
    for group in pydicom.dcmread(os.path.join(root, path)).FiducialSetSequence:
        for item in group.FiducialSequence:
            points = numpy.asarray(item.ContourData, dtype=float).reshape(-1, 3)
            for name, image in opened.items():
                pixels, distances = project(image, points)
                if max(abs(mm) for mm in distances) <= half:
                    found.append([name, item.get('FiducialIdentifier'), item.ShapeType, pixels, max(distances, key=abs)])
    return {'path': path, 'folder': folder, 'regions': found}


def groups(read):
    listed = []
    for group in read.get_annotation_groups():
        points = [(one[:, :2] - 0.5).reshape(-1).tolist() for one in group.get_graphic_data('2D')]
        names, values, units = group.get_measurements()
        listed.append({
            'label': group.label,
            'type': group.graphic_type.value,
            'points': points,
            'names': [name.meaning for name in names],
            'units': [unit.value for unit in units],
            'values': [[None if numpy.isnan(value) else float(value) for value in row] for row in values],
        })
    return listed


def annotations(root, path, slide):
    return {'path': path, 'slide': slide, 'groups': groups(highdicom.ann.annread(os.path.join(root, path)))}


# Twelve squares of which some have an area, fewer a score, and two points that have a score.
def measured(root, slide):
    squares = [numpy.array([[x, y], [x + 2, y], [x + 2, y + 2], [x, y + 2]], dtype=float)
               for x in (2, 12, 22, 32) for y in (3, 13, 23)]
    area = numpy.array([numpy.nan if at % 3 == 1 else 4 + at / 8 for at in range(12)])
    score = numpy.array([0.25 * at if at in (11, 4) else numpy.nan for at in range(12)])
    kinds = [
        ('nuclei', 'POLYGON', squares, [('Area', area), ('Score', score)]),
        ('mitoses', 'POINT', [numpy.array([[5.5, 40.5]]), numpy.array([[15.5, 41.5]])],
         [('Score', numpy.array([0.5, -1.5]))]),
    ]
    concepts = {
        'Area': (codes.SCT.Area, codes.UCUM.SquareMicrometer),
        'Score': (highdicom.sr.CodedConcept('1', '99TEST', 'Score'), codes.UCUM.NoUnits),
    }
    built = highdicom.ann.MicroscopyBulkSimpleAnnotations(
        source_images=[pydicom.dcmread(os.path.join(root, slide))],
        annotation_coordinate_type='2D',
        annotation_groups=[
            highdicom.ann.AnnotationGroup(
                number=at + 1,
                uid=f'2.25.73{at}',
                label=name,
                annotated_property_category=codes.SCT.AnatomicalStructure,
                annotated_property_type=codes.SCT.Nucleus,
                algorithm_type='MANUAL',
                graphic_type=kind,
                graphic_data=shapes,
                measurements=[highdicom.ann.Measurements(concepts[what][0], values, concepts[what][1])
                              for what, values in measurements],
            )
            for at, (name, kind, shapes, measurements) in enumerate(kinds)
        ],
        series_instance_uid='2.25.740',
        series_number=1,
        sop_instance_uid='2.25.741',
        instance_number=1,
        manufacturer='test',
        manufacturer_model_name='test',
        software_versions='1',
        device_serial_number='1',
    )
    written = io.BytesIO()
    built.save_as(written)
    written.seek(0)
    read = highdicom.ann.annread(written)
    return {'file': base64.b64encode(written.getvalue()).decode('ascii'), 'slide': slide, 'groups': groups(read)}


dwv = [f'sr/dwv/{folder}/{name}' for folder in ('dwv034', 'tid1500-0')
       for name in sorted(os.listdir(os.path.join(CORPUS, 'sr/dwv', folder)))]
print(json.dumps({
    'corpus': [report(CORPUS, path, 'sr/dwv') for path in dwv],
    'layers': [report(LAYERS, 'synthetic-phantom/sr/tid1500_all_regions.dcm', 'synthetic-phantom/ct')],
    'fiducials': fiducials(LAYERS, 'synthetic-phantom/fiducials/fiducials.dcm', 'synthetic-phantom/ct'),
    'annotations': annotations(CORPUS, 'wsi/tiny/sm_annotations.dcm', 'wsi/tiny/sm_image.dcm'),
    'measured': measured(CORPUS, 'wsi/tiny/sm_image.dcm'),
}, indent=1))
