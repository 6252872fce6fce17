import { chmodSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourceOf } from '../../../../test/support/sources.ts';
import { ctElements } from '../../../../test/support/ctElements.ts';
import { asOrdinaryUser, createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { type DataSetInput, writeDicom, type WriteOptions } from '../../standard/dicom/writeDicom.ts';
import type { FileDescription } from './dicomFile.ts';
import { parseFilters } from '../../../shared/fileFilter.ts';
import { createFileScanner } from './scanFile.ts';
import type { ScanResult } from './scanResult.ts';
import { localFile } from '../../bytes/origins/origins.ts';

function scanBytes(bytes: Uint8Array | string): ScanResult {
  const path = writeBelow(createTempFolder(), 'image.dcm', bytes);
  return createFileScanner([])({ path, ref: localFile(path) });
}

function describeWritten(elements: DataSetInput, options?: WriteOptions): FileDescription {
  const result = scanBytes(writeDicom(elements, options));
  if (result.disposition !== 'selected') throw new Error(`not selected: ${JSON.stringify(result)}`);
  return result.file;
}

test('a CT image is described as the contract names its fields', () => {
  const bytes = writeDicom(
    ctElements({ StudyDescription: 'Chest', SeriesDescription: 'Axial', FrameOfReferenceUID: '1.9' }),
  );
  const path = writeBelow(createTempFolder(), 'image.dcm', bytes);

  const result = createFileScanner([])({ path, ref: localFile(path) });

  expect(result).toEqual({
    disposition: 'selected',
    file: {
      path,
      label: 'P1 · CT · 20240131',
      patientId: 'P1',
      patientName: 'Doe^Jane',
      studyInstanceUid: '1.2.826.0.1.3680043.8.498.2',
      studyDate: '20240131',
      studyDescription: 'Chest',
      seriesInstanceUid: '1.2.826.0.1.3680043.8.498.3',
      seriesNumber: '4',
      seriesDescription: 'Axial',
      modality: 'CT',
      instanceNumber: '7',
      sopInstanceUid: '1.2.826.0.1.3680043.8.498.1',
      sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
      sopClassName: 'CT Image Storage',
      objectKind: 'classic_image',
      supportState: 'renderable',
      supportReason: undefined,
      hasPixels: true,
      burnedInAnnotation: false,
      frameCount: 1,
      declaredFrameCount: 1,
      rows: 2,
      columns: 3,
      samplesPerPixel: 1,
      bitsAllocated: 16,
      bitsStored: 12,
      photometricInterpretation: 'MONOCHROME2',
      pixelAspectRatio: undefined,
      pixelSpacingMm: undefined,
      pixelSpacingSource: undefined,
      transferSyntaxUid: '1.2.840.10008.1.2.1',
      transferSyntaxName: 'Explicit VR Little Endian',
      frameOfReferenceUid: '1.9',
      emptyElements: 0,
      defaultWindow: undefined,
      fileBytes: bytes.length,
      placement: { imageType: '', hasFrameGeometry: false },
      source: sourceOf(path),
    },
  });
});

test('text is decoded by the character set of the file', () => {
  const file = describeWritten(ctElements({ SpecificCharacterSet: 'ISO_IR 192', PatientName: 'Müller^Jürgen=山田' }));

  expect(file.patientName).toBe('Müller^Jürgen=山田');
});

test.each([
  [{ PatientID: '', StudyDate: '' }, 'CT'],
  [{ PatientID: 'P1', Modality: '', StudyDate: '20240131' }, 'P1 · 20240131'],
  [{ PatientID: '', Modality: '', StudyDate: '' }, 'image.dcm'],
])('the label of %j is %s', (elements, label) => {
  expect(describeWritten(ctElements(elements)).label).toBe(label);
});

function pixelMeasures(spacing: string[]): DataSetInput[] {
  return [{ PixelMeasuresSequence: [{ PixelSpacing: spacing }] }];
}

describe('pixel spacing', () => {
  test.each<[string, DataSetInput, Partial<FileDescription>]>([
    [
      'is that in the patient before that at the detector',
      { PixelSpacing: ['0.5', '0.25'], ImagerPixelSpacing: ['1', '1'], NominalScannedPixelSpacing: ['2', '2'] },
      { pixelSpacingMm: [0.5, 0.25], pixelSpacingSource: 'pixel_spacing', pixelAspectRatio: 2 },
    ],
    [
      'is that at the detector before that of a film',
      { ImagerPixelSpacing: ['0.1', '0.2'], NominalScannedPixelSpacing: ['2', '2'] },
      { pixelSpacingMm: [0.1, 0.2], pixelSpacingSource: 'imager', pixelAspectRatio: 0.5 },
    ],
    [
      'is that at the detector if that in the patient repeats it',
      { PixelSpacing: ['0.15', '0.15'], ImagerPixelSpacing: ['0.150', '0.150'] },
      { pixelSpacingMm: [0.15, 0.15], pixelSpacingSource: 'imager', pixelAspectRatio: 1 },
    ],
    [
      'is that in the patient if it repeats that at the detector and is calibrated',
      { PixelSpacing: ['0.15', '0.15'], ImagerPixelSpacing: ['0.15', '0.15'], PixelSpacingCalibrationType: 'FIDUCIAL' },
      { pixelSpacingMm: [0.15, 0.15], pixelSpacingSource: 'pixel_spacing', pixelAspectRatio: 1 },
    ],
    [
      'is that in the patient if it repeats that at the detector and nothing is magnified',
      {
        PixelSpacing: ['0.15', '0.15'],
        ImagerPixelSpacing: ['0.15', '0.15'],
        EstimatedRadiographicMagnificationFactor: '1',
      },
      { pixelSpacingMm: [0.15, 0.15], pixelSpacingSource: 'pixel_spacing', pixelAspectRatio: 1 },
    ],
    [
      'is that at the detector divided by the estimated magnification',
      { ImagerPixelSpacing: ['0.18', '0.09'], EstimatedRadiographicMagnificationFactor: '1.8' },
      { pixelSpacingMm: [0.18 / 1.8, 0.09 / 1.8], pixelSpacingSource: 'magnification', pixelAspectRatio: 2 },
    ],
    [
      'is that at the detector if the magnification is none that there can be',
      { ImagerPixelSpacing: ['0.18', '0.09'], EstimatedRadiographicMagnificationFactor: '0.5' },
      { pixelSpacingMm: [0.18, 0.09], pixelSpacingSource: 'imager', pixelAspectRatio: 2 },
    ],
    [
      'is that in the patient where it differs from that at the detector, whatever the magnification',
      {
        PixelSpacing: ['0.1', '0.1'],
        ImagerPixelSpacing: ['0.18', '0.18'],
        EstimatedRadiographicMagnificationFactor: '1.8',
      },
      { pixelSpacingMm: [0.1, 0.1], pixelSpacingSource: 'pixel_spacing', pixelAspectRatio: 1 },
    ],
    [
      'is that in the patient of a slice that repeats it as that at the detector',
      {
        PixelSpacing: ['3.2', '3.2'],
        ImagerPixelSpacing: ['3.2', '3.2'],
        ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
      },
      { pixelSpacingMm: [3.2, 3.2], pixelSpacingSource: 'pixel_spacing', pixelAspectRatio: 1 },
    ],
    [
      'is that of the image plane in an RT Image',
      { ImagePlanePixelSpacing: ['0.4', '0.8'], RTImageSID: '1500', RadiationMachineSAD: '1000' },
      { pixelSpacingMm: [0.4, 0.8], pixelSpacingSource: 'image_plane', pixelAspectRatio: 0.5 },
    ],
    [
      'is that of a scanned film where nothing else is known',
      { NominalScannedPixelSpacing: ['0.2', '0.2'] },
      { pixelSpacingMm: [0.2, 0.2], pixelSpacingSource: 'nominal', pixelAspectRatio: 1 },
    ],
    [
      'is that of the functional groups in an enhanced object',
      { SharedFunctionalGroupsSequence: pixelMeasures(['0.75', '0.5']), PixelSpacing: ['9', '9'] },
      { pixelSpacingMm: [0.75, 0.5], pixelSpacingSource: 'pixel_spacing', pixelAspectRatio: 1.5 },
    ],
    [
      'is that of the first frame before that of all',
      {
        SharedFunctionalGroupsSequence: pixelMeasures(['9', '9']),
        PerFrameFunctionalGroupsSequence: pixelMeasures(['2', '4']),
      },
      { pixelSpacingMm: [2, 4], pixelSpacingSource: 'pixel_spacing', pixelAspectRatio: 0.5 },
    ],
    [
      'is unknown with an aspect ratio alone, which is height over width',
      { PixelAspectRatio: ['4', '3'] },
      { pixelSpacingMm: undefined, pixelSpacingSource: undefined, pixelAspectRatio: 4 / 3 },
    ],
    [
      'is not believed when it is zero, or of one value',
      { PixelSpacing: ['0', '0'], ImagerPixelSpacing: ['1'], PixelAspectRatio: ['0', '1'] },
      { pixelSpacingMm: undefined, pixelSpacingSource: undefined, pixelAspectRatio: undefined },
    ],
  ])('%s', (_, elements, expected) => {
    expect(describeWritten(ctElements(elements))).toMatchObject(expected);
  });
});

function frameVoiLut(center: string, width: string): DataSetInput[] {
  return [{ FrameVOILUTSequence: [{ WindowCenter: center, WindowWidth: width }] }];
}

describe('the default window', () => {
  test.each<[string, DataSetInput, FileDescription['defaultWindow']]>([
    ['is the first', { WindowCenter: ['40', '300'], WindowWidth: ['400', '1500'] }, { center: 40, width: 400 }],
    [
      'passes over a width of zero',
      { WindowCenter: ['40', '300'], WindowWidth: ['0', '1500'] },
      { center: 300, width: 1500 },
    ],
    ['needs a center and a width', { WindowCenter: '40' }, undefined],
    ['is that of the shared group', { SharedFunctionalGroupsSequence: frameVoiLut('1', '2') }, { center: 1, width: 2 }],
    [
      'is that of the first frame before the shared one',
      {
        SharedFunctionalGroupsSequence: frameVoiLut('1', '2'),
        PerFrameFunctionalGroupsSequence: frameVoiLut('-5.5', '7'),
      },
      { center: -5.5, width: 7 },
    ],
  ])('%s', (_, elements, expected) => {
    expect(describeWritten(ctElements(elements)).defaultWindow).toEqual(expected);
  });
});

describe('frames', () => {
  const twoOfThree = { NumberOfFrames: '3', PixelData: new Uint16Array(12) };

  test('are bounded by the size of native pixel data', () => {
    expect(describeWritten(ctElements(twoOfThree))).toMatchObject({ frameCount: 2, supportState: 'renderable' });
  });

  test('are none in a file that ends within the first row, and one after it', () => {
    // Two rows of six bytes.
    const whole = writeDicom(ctElements());
    const cut = scanBytes(whole.subarray(0, whole.length - 2));
    const result = scanBytes(whole.subarray(0, whole.length - 7));

    expect(cut).toMatchObject({ file: { frameCount: 1, supportState: 'renderable' } });
    expect(result).toMatchObject({
      file: { hasPixels: true, frameCount: 0, supportState: 'unsupported', supportReason: 'pixel_data.truncated' },
    });
  });

  test('are none without pixel data', () => {
    expect(describeWritten(ctElements({ PixelData: undefined }))).toMatchObject({
      hasPixels: false,
      frameCount: 0,
      supportState: 'metadata_only',
      supportReason: 'pixel_data.absent',
    });
  });

  test('of a video are those that it declares, in however few fragments', () => {
    const elements = ctElements({
      NumberOfFrames: '250',
      PixelData: { fragments: [new Uint8Array(1_000)], offsetTable: 'none' },
    });

    expect(describeWritten(elements, { transferSyntaxUid: '1.2.840.10008.1.2.4.102' })).toMatchObject({
      objectKind: 'video',
      frameCount: 250,
      supportState: 'unsupported',
    });
  });

  test('of a video or of no known size are not more than the file has bytes', () => {
    const video = ctElements({ NumberOfFrames: '2147483647', PixelData: { fragments: [new Uint8Array(100)] } });
    const sizeless = ctElements({ NumberOfFrames: '2147483647', Rows: undefined });

    // The table with the offset of the only stream, the stream, and the delimiter, each with a header of 8 bytes.
    expect(describeWritten(video, { transferSyntaxUid: '1.2.840.10008.1.2.4.102' }).frameCount).toBe(12 + 108 + 8);
    expect(describeWritten(sizeless).frameCount).toBe(12);
  });

  test('are at most one for eight bytes of the file, but as many as it declares while these are few', () => {
    const bits = { Rows: 1, Columns: 1, BitsAllocated: 1, BitsStored: 1, HighBit: 0 };
    const many = ctElements({ ...bits, NumberOfFrames: '2147483647', PixelData: new Uint8Array(1_000_000) });
    const { frameCount, declaredFrameCount, fileBytes } = describeWritten(many);
    expect(frameCount).toBe(Math.floor(fileBytes / 8));
    expect(declaredFrameCount).toBe(2_147_483_647);

    const few = ctElements({ ...bits, NumberOfFrames: '4000', PixelData: new Uint8Array(500) });
    expect(describeWritten(few)).toMatchObject({ frameCount: 4000, declaredFrameCount: 4000 });
  });

  test('of a deflated file are counted by its size on disk, not by its inflated size', () => {
    const bits = { Rows: 1, Columns: 1, BitsAllocated: 1, BitsStored: 1, HighBit: 0 };
    const elements = ctElements({ ...bits, NumberOfFrames: '400000000', PixelData: new Uint8Array(8_000_000) });

    // 8 MB of zeros deflate to about 8 kB, and any file may have 4096 frames.
    expect(describeWritten(elements, { transferSyntaxUid: '1.2.840.10008.1.2.1.99' }).frameCount).toBe(4096);
  });
});

test.each([
  ['text', 'just some text, long enough to be more than a preamble '.repeat(10), 'not_dicom'],
  ['an empty file', '', 'not_dicom'],
  ['a PNG', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new Uint8Array(500)), 'not_dicom'],
  ['zeros', new Uint8Array(4096), 'not_dicom'],
])('%s is skipped', (_, bytes, reason) => {
  expect(scanBytes(bytes)).toMatchObject({ disposition: 'skipped', reason });
});

test('a DICOMDIR is skipped as a media directory', () => {
  const bytes = writeDicom({ '00020002': { vr: 'UI', value: '1.2.840.10008.1.3.10' }, FileSetID: 'X' });

  expect(scanBytes(bytes)).toMatchObject({ disposition: 'skipped', reason: 'media_directory' });
});

test('a file that is gone since the walk is unreadable', () => {
  const path = writeBelow(createTempFolder(), 'image.dcm', writeDicom(ctElements()));
  rmSync(path);

  expect(createFileScanner([])({ path, ref: localFile(path) })).toEqual({
    disposition: 'skipped',
    path,
    reason: 'unreadable',
  });
});

test('a file without read permission is unreadable', () => {
  const path = writeBelow(createTempFolder(), 'image.dcm', writeDicom(ctElements()));
  chmodSync(dirname(path), 0o755);
  chmodSync(path, 0);

  expect(asOrdinaryUser(() => createFileScanner([])({ path, ref: localFile(path) }))).toMatchObject({
    reason: 'unreadable',
  });
});

test('a folder in the place of a file is unreadable', () => {
  const path = createTempFolder();

  expect(createFileScanner([])({ path, ref: localFile(path) })).toMatchObject({ reason: 'unreadable' });
});

test('a file that no filter keeps is filtered', () => {
  const parsed = parseFilters(['Modality=MR']);
  const folder = createTempFolder();
  const path = writeBelow(folder, 'image.dcm', writeDicom(ctElements()));

  const scanFile = createFileScanner(parsed.ok ? parsed.filters : []);

  expect(scanFile({ path, ref: localFile(path) })).toMatchObject({
    disposition: 'filtered',
    path,
    reason: 'filter_mismatch',
    file: sourceOf(path),
  });
  expect(scanFile({ path: join(folder, 'x'), reason: 'directory_entry_unreadable' })).toMatchObject({
    disposition: 'skipped',
  });
});

const LONG_TITLE = 'A title of a document that goes on '.repeat(4);

test.each<[string, DataSetInput, string | undefined]>([
  [
    'a report by the code of its root',
    { ConceptNameCodeSequence: [{ CodeValue: '126000', CodingSchemeDesignator: 'DCM', CodeMeaning: 'Measurements' }] },
    'Measurements',
  ],
  ['a PDF by its document title, in one line', { DocumentTitle: ' Discharge \r\n letter ' }, 'Discharge letter'],
  ['a plan by its label, not by its name', { RTPlanLabel: 'PLAN1', RTPlanName: 'Prostate' }, 'PLAN1'],
  ['a structure set by its label', { StructureSetLabel: 'Contours' }, 'Contours'],
  ['a presentation state by its description', { ContentLabel: 'A', ContentDescription: 'Lung' }, 'Lung'],
  [
    'the dose of a beam by its number',
    {
      DoseSummationType: 'BEAM',
      ReferencedRTPlanSequence: [
        { ReferencedFractionGroupSequence: [{ ReferencedBeamSequence: [{ ReferencedBeamNumber: 2 }] }] },
      ],
    },
    'Dose of beam 2',
  ],
  ['the dose of a plan by nothing of its own', { DoseSummationType: 'PLAN' }, undefined],
  ['a hanging protocol by its name', { HangingProtocolName: 'Chest' }, 'Chest'],
  ['by the first 119 characters of a long title', { DocumentTitle: LONG_TITLE }, `${LONG_TITLE.slice(0, 119)}…`],
  ['an object without a title by none', { DocumentTitle: '', ConceptNameCodeSequence: [] }, undefined],
])('the scan knows %s', (_, elements, title) => {
  const object = { SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.33', SOPInstanceUID: '2.25.7', ...elements };
  expect(describeWritten(object).contentTitle).toBe(title);
  // A file without a preamble is read by the reader that tolerates deviations.
  expect(describeWritten(object, { preamble: false, sequenceLength: 'undefined' }).contentTitle).toBe(title);
});
