# Records what treatment plans and records say, with pydicom alone.
#
#   python3 makePlans.py CORPUS LAYERS_DATA > plans.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used. Values that a
# control point does not state are those of the one before. Of each control point the output has the gantry angle, the
# energy, the cumulative weight, the sum of all positions of jaws and leaves in effect, and the sums of the spots.
import glob
import json
import os
import sys

import pydicom

CORPUS, LAYERS = sys.argv[1:]
FILES = {
    'corpus': ['rt/small/rtplan.dcm', 'rt/xio-irregular-spacing/RTXPLAN.*.dcm'],
    'layers': [
        'synthetic-phantom/rt/rtplan.dcm',
        'rt-imrt-pinnacle/RTPLAN.*.dcm',
        'rt-brachy-eclipse/RP.*.dcm',
        'rt-ion-hit/*RTPLAN*.dcm',
        'rt-ion-hit/*RTRECORD*.10.5.*.dcm',
    ],
}


def number(value):
    return None if value is None or value == '' else float(value)


def listed(value):
    if value is None:
        return []
    return [float(value)] if isinstance(value, float) else [float(one) for one in value]


def describe_points(points):
    rows = []
    devices = {}
    gantry = energy = None
    for point in points:
        for device in point.get('BeamLimitingDevicePositionSequence', []):
            devices[device.RTBeamLimitingDeviceType] = listed(device.LeafJawPositions)
        gantry = number(point.get('GantryAngle', gantry))
        energy = number(point.get('NominalBeamEnergy', energy))
        weights = listed(point.get('ScanSpotMetersetsDelivered')) or listed(point.get('ScanSpotMetersetWeights'))
        places = listed(point.get('ScanSpotPositionMap'))
        given = [at for at, weight in enumerate(weights) if weight > 0]
        rows.append(
            {
                'gantry': gantry,
                'energy': energy,
                'weight': number(point.get('CumulativeMetersetWeight')),
                'positions': sum(sum(values) for values in devices.values()),
                'devices': {name: len(values) for name, values in devices.items()},
                'spots': len(given),
                'spot_x': sum(places[2 * at] for at in given),
                'spot_y': sum(places[2 * at + 1] for at in given),
                'spot_weight': sum(weights[at] for at in given),
            }
        )
    return rows


def describe(path):
    plan = pydicom.dcmread(path, force=True)
    planned = {}
    groups = []
    beams = list(plan.get('BeamSequence', [])) + list(plan.get('IonBeamSequence', []))
    sessions = list(plan.get('TreatmentSessionBeamSequence', [])) + list(plan.get('TreatmentSessionIonBeamSequence', []))
    treating = {int(beam.BeamNumber) for beam in beams if beam.get('TreatmentDeliveryType', 'TREATMENT') == 'TREATMENT'}
    for group in plan.get('FractionGroupSequence', []):
        doses = []
        metersets = []
        for reference in group.get('ReferencedBeamSequence', []):
            beam = int(reference.ReferencedBeamNumber)
            planned.setdefault(beam, reference)
            if beam in treating:
                doses.append(number(reference.get('BeamDose')))
                metersets.append(number(reference.get('BeamMeterset')))
        add = lambda values: None if not values or None in values else sum(values)
        groups.append([number(group.get('NumberOfFractionsPlanned')), add(doses), add(metersets)])
    rows = []
    for beam in beams:
        reference = planned.get(int(beam.BeamNumber), pydicom.Dataset())
        points = beam.get('ControlPointSequence') or beam.get('IonControlPointSequence')
        rows.append(
            {
                'number': int(beam.BeamNumber),
                'name': beam.BeamName,
                'meterset': number(reference.get('BeamMeterset')),
                'dose': number(reference.get('BeamDose')),
                'points': describe_points(points),
            }
        )
    for beam in sessions:
        points = beam.get('ControlPointDeliverySequence') or beam.get('IonControlPointDeliverySequence')
        rows.append(
            {
                'number': int(beam.ReferencedBeamNumber),
                'name': beam.BeamName,
                'meterset': number(beam.get('DeliveredPrimaryMeterset')),
                'dose': None,
                'points': describe_points(points),
            }
        )
    channels = []
    for setup in plan.get('ApplicationSetupSequence', []):
        for channel in setup.ChannelSequence:
            points = channel.BrachyControlPointSequence
            places = {str(point.ControlPointRelativePosition) for point in points}
            channels.append(
                {
                    'number': int(channel.ChannelNumber),
                    'time': number(channel.ChannelTotalTime),
                    'dwells': len(places),
                    'z': sum(float(point.ControlPoint3DPosition[2]) for point in points[::2]),
                }
            )
    return {'groups': groups, 'beams': rows, 'channels': channels}


result = {}
for kind, root in (('corpus', CORPUS), ('layers', LAYERS)):
    result[kind] = []
    for pattern in FILES[kind]:
        [path] = glob.glob(os.path.join(root, pattern))
        result[kind].append({'path': os.path.relpath(path, root), **describe(path)})
json.dump(result, sys.stdout, indent=1)
print()
