# Records what waveforms and spectra hold, with pydicom and numpy.
#
#   python3 makeWaveforms.py CORPUS LAYERS_DATA > waveforms.json
#
# CORPUS is the folder of real files and LAYERS_DATA that of the files for layers. Nothing of negato is used. Needs
# Python before 3.13, whose audioop expands companded samples as ITU-T G.711 says. The output has:
# - `real`: of each multiplex group of the files, the values of every channel at `samples`, and their sum; null where the
#   sample is the Waveform Padding Value. Values are those of pydicom's waveform_array.
# - `types`: files that pydicom wrote, as Base64, one for each Waveform Sample Interpretation and byte order, with all
#   their values.
# - `spectra`: of the spectroscopy files, every 64th point as stored; and the same points of the spectrum, shifted so that
#   frequency 0 is in the middle, without and with zero filling to twice the points.
import audioop
import base64
import glob
import io
import json
import sys

import numpy
import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ExplicitVRBigEndian, ExplicitVRLittleEndian

CORPUS, LAYERS = sys.argv[1:]
FILES = [
    f'{CORPUS}/waveform-pdf-video/waveform_ecg.dcm',
    f'{CORPUS}/waveform-pdf-video/wave_dfl',
    f'{LAYERS}/synthetic-phantom/waveform/ecg_traps.dcm',
]


def code(value, scheme, meaning):
    item = Dataset()
    item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = value, scheme, meaning
    return item


def padded(dataset, group):
    """The values of a group, None where nothing was recorded."""
    values = dataset.waveform_array(group)
    item = dataset.WaveformSequence[group]
    raw = numpy.asarray(pydicom.waveforms.multiplex_array(dataset, group, as_raw=True))
    hole = numpy.zeros(raw.shape, bool)
    if 'WaveformPaddingValue' in item:
        width = item.WaveformBitsAllocated // 8
        hole = raw == numpy.frombuffer(item.WaveformPaddingValue[:width], raw.dtype)[0]
    return values, hole


def real(path):
    dataset = pydicom.dcmread(path)
    groups = []
    for group, item in enumerate(dataset.WaveformSequence):
        values, hole = padded(dataset, group)
        samples = list(range(0, item.NumberOfWaveformSamples, 97))
        groups.append({
            'samples': samples,
            'values': [[None if hole[at, channel] else float(values[at, channel]) for at in samples]
                       for channel in range(values.shape[1])],
            'sums': [float(values[~hole[:, channel], channel].sum()) for channel in range(values.shape[1])],
            'counts': [int((~hole[:, channel]).sum()) for channel in range(values.shape[1])],
        })
    return groups


DTYPES = {'SB': 'i1', 'UB': 'u1', 'MB': 'u1', 'AB': 'u1', 'SS': 'i2', 'US': 'u2', 'SL': 'i4', 'UL': 'u4', 'SV': 'i8',
          'UV': 'u8'}
COUNT, CHANNELS = 85, 3  # an odd number of bytes at 8 bits


def typed(interpretation, syntax):
    little = syntax == ExplicitVRLittleEndian
    dtype = numpy.dtype(('<' if little else '>') + DTYPES[interpretation])
    info = numpy.iinfo(dtype)
    spread = numpy.linspace(float(info.min), float(info.max), COUNT * CHANNELS)
    # Floats of 64 bits have 53 of their own.
    raw = numpy.clip(spread, info.min / 2 if dtype.itemsize == 8 else info.min,
                     info.max / 2 if dtype.itemsize == 8 else info.max).astype(dtype)
    group = Dataset()
    group.WaveformOriginality = 'ORIGINAL'
    group.NumberOfWaveformChannels, group.NumberOfWaveformSamples = CHANNELS, COUNT
    group.SamplingFrequency = 250
    group.ChannelDefinitionSequence = []
    for channel in range(CHANNELS):
        item = Dataset()
        item.ChannelSourceSequence = [code(f'2:{channel + 1}', 'MDC', 'Lead')]
        item.ChannelSensitivity = '0.25'
        item.ChannelSensitivityUnitsSequence = [code('uV', 'UCUM', 'microvolt')]
        item.ChannelSensitivityCorrectionFactor = '1.5'
        item.ChannelBaseline = str(channel - 1)
        item.ChannelSampleSkew = '0'
        item.WaveformBitsStored = dtype.itemsize * 8
        group.ChannelDefinitionSequence.append(item)
    group.WaveformBitsAllocated = dtype.itemsize * 8
    group.WaveformSampleInterpretation = interpretation
    data = raw.tobytes()
    group.add_new('WaveformData', 'OB' if dtype.itemsize == 1 else 'OW', data + b'\0' * (len(data) % 2))
    dataset = Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = syntax
    dataset.SOPClassUID = '1.2.840.10008.5.1.4.1.1.9.1.2'
    dataset.SOPInstanceUID = f'2.25.{8000 + 2 * list(DTYPES).index(interpretation) + little}'
    dataset.Modality = 'ECG'
    dataset.WaveformSequence = [group]
    buffer = io.BytesIO()
    dataset.save_as(buffer, enforce_file_format=True)
    if interpretation in ('MB', 'AB'):
        # 16 bits, of which µ-law has 14 and A-law 13.
        expanded = audioop.ulaw2lin(data, 2) if interpretation == 'MB' else audioop.alaw2lin(data, 2)
        linear = numpy.frombuffer(expanded, '<i2') // (4 if interpretation == 'MB' else 8)
        values = linear.reshape(COUNT, CHANNELS) * 0.375 + (numpy.arange(CHANNELS) - 1)
    elif little:
        values = pydicom.dcmread(io.BytesIO(buffer.getvalue())).waveform_array(0)
    else:
        # pydicom reads waveforms as little endian whatever the file: the values are those of the other file.
        values = numpy.array(typed(interpretation, ExplicitVRLittleEndian)['values']).T
    return {
        'interpretation': interpretation,
        'little': little,
        'file': base64.b64encode(buffer.getvalue()).decode(),
        'values': [[float(f'{value:.9g}') for value in values[:, channel]] for channel in range(CHANNELS)],
    }


def spectra(path):
    dataset = pydicom.dcmread(path)
    pairs = numpy.frombuffer(dataset.SpectroscopyData, '<f4').reshape(-1, 2)
    stored = pairs[:, 0] + 1j * pairs[:, 1]

    def points(values):
        return [[float(value.real), float(value.imag)] for value in values[::64]]

    filled = numpy.fft.fftshift(numpy.fft.fft(stored, 2 * len(stored)))
    return {
        'stored': points(stored),
        'spectrum': points(numpy.fft.fftshift(numpy.fft.fft(stored))),
        'filled': points(filled),
        'highest': float(numpy.abs(filled).max()),
    }


json.dump({
    'real': {path.rsplit('/', 1)[-1]: real(path) for path in FILES},
    'types': [typed(name, syntax) for name in DTYPES for syntax in (ExplicitVRLittleEndian, ExplicitVRBigEndian)],
    'spectra': {path.rsplit('/', 1)[-1]: spectra(path)
                for path in sorted(glob.glob(f'{CORPUS}/waveform-pdf-video/3000*.dcm'))},
}, sys.stdout)
