import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';

const UID_ROOT = '2.25.77167267688692684862549894335621004186.';
const UID_NUMBER = '1000000001';
const INSTANCE_NUMBER = '100000001 ';
const PIXEL_BYTES = 512 * 512 * 2;

/**
 * Writes a tree of CT images as scanners export them: one folder per series of 250, some 270 elements per header, most
 * of them private, 512 by 512 pixels. The pixels are a hole in the file, so that 100,000 images fit on any disk.
 */
export function writeCtTree(folder: string, count: number): void {
  const template = Buffer.from(writeDicom(ctHeader()));
  const uidAt = findAll(template, UID_ROOT + UID_NUMBER).map((at) => at + UID_ROOT.length);
  const numberAt = findAll(template, INSTANCE_NUMBER);
  for (let index = 0; index < count; index += 1) {
    const series = join(folder, `series${Math.floor(index / 250)}`);
    if (index % 250 === 0) mkdirSync(series, { recursive: true });
    for (const at of uidAt) template.write(String(1_000_000_001 + index), at, 'latin1');
    for (const at of numberAt) template.write(String(index + 1).padEnd(INSTANCE_NUMBER.length), at, 'latin1');
    writeImage(join(series, `IM${index}.dcm`), template);
  }
}

/** Writes a CT image of 512 by 512 pixels, which are a hole in the file. */
export function writeImage(path: string, header: Uint8Array): void {
  const file = openSync(path, 'w');
  writeSync(file, header);
  writeSync(file, PIXEL_ELEMENT);
  ftruncateSync(file, header.length + PIXEL_ELEMENT.length + PIXEL_BYTES);
  closeSync(file);
}

/** (7FE0,0010) OW with its length, in Explicit VR Little Endian. */
const PIXEL_ELEMENT = (() => {
  const element = Buffer.from([0xe0, 0x7f, 0x10, 0x00, 0x4f, 0x57, 0, 0, 0, 0, 0, 0]);
  element.writeUInt32LE(PIXEL_BYTES, 8);
  return element;
})();

function findAll(bytes: Buffer, text: string): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(text, 0, 'latin1'); at >= 0; at = bytes.indexOf(text, at + 1, 'latin1')) found.push(at);
  return found;
}

export function ctHeader(): Parameters<typeof writeDicom>[0] {
  return {
    SpecificCharacterSet: 'ISO_IR 100',
    ImageType: ['ORIGINAL', 'PRIMARY', 'AXIAL', 'CT_SOM5 SPI'],
    InstanceCreationDate: '20240131',
    InstanceCreationTime: '101500.125000',
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
    SOPInstanceUID: UID_ROOT + UID_NUMBER,
    StudyDate: '20240131',
    SeriesDate: '20240131',
    AcquisitionDate: '20240131',
    ContentDate: '20240131',
    StudyTime: '101200.000000',
    SeriesTime: '101400.000000',
    AcquisitionTime: '101430.500000',
    ContentTime: '101431.000000',
    AccessionNumber: '1234567',
    Modality: 'CT',
    Manufacturer: 'Phantom Works',
    InstitutionName: 'Department of Test Images',
    ReferringPhysicianName: 'Nobody^Known',
    StationName: 'CT1',
    StudyDescription: 'Thorax^with contrast',
    ProcedureCodeSequence: [{ CodeValue: 'CT01', CodingSchemeDesignator: 'L', CodeMeaning: 'CT thorax' }],
    SeriesDescription: 'Thorax 1.0 B30f',
    ManufacturerModelName: 'Phantom 64',
    ReferencedImageSequence: Array.from({ length: 3 }, (_, item) => ({
      ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
      ReferencedSOPInstanceUID: `${UID_ROOT}${item}`,
    })),
    PatientName: 'Phantom^Thorax',
    PatientID: 'PHANTOM-1',
    PatientBirthDate: '19700101',
    PatientSex: 'O',
    PatientAge: '054Y',
    PatientWeight: '70',
    BodyPartExamined: 'CHEST',
    ScanOptions: 'HELICAL',
    SliceThickness: '1',
    KVP: '120',
    DataCollectionDiameter: '500',
    DeviceSerialNumber: '12345',
    SoftwareVersions: 'v1',
    ProtocolName: 'ThoraxRoutine',
    ReconstructionDiameter: '350',
    DistanceSourceToDetector: '1040',
    DistanceSourceToPatient: '570',
    GantryDetectorTilt: '0',
    TableHeight: '150',
    RotationDirection: 'CW',
    ExposureTime: '500',
    XRayTubeCurrent: '200',
    Exposure: '100',
    FilterType: '0',
    GeneratorPower: '40',
    FocalSpots: '1.2',
    ConvolutionKernel: 'B30f',
    PatientPosition: 'HFS',
    ...privateBlock(0x0009, 20),
    ...privateBlock(0x0019, 60),
    ...privateBlock(0x0043, 70),
    ...privateBlock(0x0045, 30),
    StudyInstanceUID: `${UID_ROOT}2`,
    SeriesInstanceUID: `${UID_ROOT}3`,
    StudyID: '1',
    SeriesNumber: '3',
    AcquisitionNumber: '1',
    InstanceNumber: INSTANCE_NUMBER.trim(),
    ImagePositionPatient: ['-175', '-175', '-100.5'],
    ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
    FrameOfReferenceUID: `${UID_ROOT}4`,
    SliceLocation: '-100.5',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 512,
    Columns: 512,
    PixelSpacing: ['0.68359375', '0.68359375'],
    BitsAllocated: 16,
    BitsStored: 12,
    HighBit: 11,
    PixelRepresentation: 0,
    SmallestImagePixelValue: 0,
    LargestImagePixelValue: 4095,
    WindowCenter: ['40', '-600'],
    WindowWidth: ['400', '1200'],
    RescaleIntercept: '-1024',
    RescaleSlope: '1',
    WindowCenterWidthExplanation: ['SOFT', 'LUNG'],
  };
}

/** Private elements in the mix of VRs that vendors use. */
function privateBlock(group: number, count: number): Parameters<typeof writeDicom>[0] {
  const inputs = [
    { vr: 'DS', value: '-12.50000' },
    { vr: 'SL', value: 70_000 },
    { vr: 'LO', value: 'phantom value' },
    { vr: 'FL', value: [0.5, 1.5, 2.5] },
    { vr: 'SS', value: -3 },
  ];
  const tag = (element: number): string => (group * 0x10000 + element).toString(16).padStart(8, '0');
  const block = Array.from({ length: count }, (_, element) => [tag(0x1001 + element), inputs[element % inputs.length]]);
  return { [tag(0x10)]: { vr: 'LO', value: 'PHANTOM CT' }, ...Object.fromEntries(block) };
}
