import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { findTag } from '../../../standard/dicom/dictionary.ts';
import { attributesOfFrame } from '../../../standard/dicom/eachFrame.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import { FloatPixelData } from '../../../standard/dicom/tag.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import type { ReadSidecarInput, SidecarFields } from '../exportTasks.ts';

/** How a value is written. BIDS has seconds where DICOM has milliseconds. */
type Form = 'text' | 'texts' | 'number' | 'numbers' | 'seconds' | 'clock';

type Field = {
  readonly keyword: string;
  /** If it is another one. */
  readonly name?: string;
  readonly form: Form;
  /** The sequence that contains the element: in the functional groups of a frame, or at the top level. */
  readonly within?: string;
};

const PHARMACEUTICAL = 'RadiopharmaceuticalInformationSequence';

/**
 * The fields, in the order of the file. Names are those of BIDS and dcm2niix. Nothing here names the patient, a person or an
 * institution, and no dates and UIDs are written, by which a patient can be found.
 */
const FIELDS: readonly Field[] = [
  { keyword: 'Modality', form: 'text' },
  { keyword: 'MagneticFieldStrength', form: 'number' },
  { keyword: 'ImagingFrequency', form: 'number' },
  { keyword: 'Manufacturer', form: 'text' },
  { keyword: 'ManufacturerModelName', form: 'text', name: 'ManufacturersModelName' },
  { keyword: 'SoftwareVersions', form: 'text' },
  { keyword: 'BodyPartExamined', form: 'text' },
  { keyword: 'PatientPosition', form: 'text' },
  { keyword: 'SeriesDescription', form: 'text' },
  { keyword: 'ProtocolName', form: 'text' },
  { keyword: 'ImageType', form: 'texts' },
  { keyword: 'SeriesNumber', form: 'number' },
  { keyword: 'AcquisitionNumber', form: 'number' },
  { keyword: 'AcquisitionTime', form: 'clock' },
  { keyword: 'SliceThickness', form: 'number', within: 'PixelMeasuresSequence' },
  { keyword: 'SpacingBetweenSlices', form: 'number', within: 'PixelMeasuresSequence' },
  {
    keyword: 'ImageOrientationPatient',
    form: 'numbers',
    within: 'PlaneOrientationSequence',
    name: 'ImageOrientationPatientDICOM',
  },
  { keyword: 'MRAcquisitionType', form: 'text' },
  { keyword: 'ScanningSequence', form: 'texts' },
  { keyword: 'SequenceVariant', form: 'texts' },
  { keyword: 'ScanOptions', form: 'texts' },
  { keyword: 'SequenceName', form: 'text' },
  { keyword: 'PulseSequenceName', form: 'text' },
  { keyword: 'RepetitionTime', form: 'seconds', within: 'MRTimingAndRelatedParametersSequence' },
  { keyword: 'EchoTime', form: 'seconds' },
  { keyword: 'EffectiveEchoTime', form: 'seconds', within: 'MREchoSequence', name: 'EchoTime' },
  { keyword: 'EchoNumbers', form: 'number', name: 'EchoNumber' },
  { keyword: 'InversionTime', form: 'seconds' },
  { keyword: 'FlipAngle', form: 'number', within: 'MRTimingAndRelatedParametersSequence' },
  { keyword: 'EchoTrainLength', form: 'number', within: 'MRTimingAndRelatedParametersSequence' },
  { keyword: 'NumberOfAverages', form: 'number', within: 'MRAveragesSequence' },
  { keyword: 'PercentSampling', form: 'number', within: 'MRFOVGeometrySequence' },
  { keyword: 'PercentPhaseFieldOfView', form: 'number', within: 'MRFOVGeometrySequence', name: 'PercentPhaseFOV' },
  { keyword: 'PixelBandwidth', form: 'number', within: 'MRImagingModifierSequence' },
  { keyword: 'SAR', form: 'number' },
  {
    keyword: 'InPlanePhaseEncodingDirection',
    form: 'text',
    within: 'MRFOVGeometrySequence',
    name: 'InPlanePhaseEncodingDirectionDICOM',
  },
  { keyword: 'ContrastBolusIngredient', form: 'text' },
  { keyword: 'KVP', form: 'number', within: 'CTXRayDetailsSequence' },
  { keyword: 'XRayTubeCurrent', form: 'number' },
  { keyword: 'Exposure', form: 'number', name: 'XRayExposure' },
  { keyword: 'ExposureTime', form: 'seconds' },
  { keyword: 'ConvolutionKernel', form: 'text', within: 'CTReconstructionSequence' },
  { keyword: 'GantryDetectorTilt', form: 'number' },
  { keyword: 'Radiopharmaceutical', form: 'text', within: PHARMACEUTICAL, name: 'TracerName' },
  { keyword: 'RadionuclideTotalDose', form: 'number', within: PHARMACEUTICAL, name: 'InjectedRadioactivity' },
  { keyword: 'RadionuclideHalfLife', form: 'number', within: PHARMACEUTICAL },
  { keyword: 'RadionuclidePositronFraction', form: 'number', within: PHARMACEUTICAL },
  { keyword: 'DecayCorrection', form: 'text' },
  { keyword: 'AttenuationCorrectionMethod', form: 'text' },
  { keyword: 'ReconstructionMethod', form: 'text' },
  { keyword: 'DecayFactor', form: 'number' },
  { keyword: 'ActualFrameDuration', form: 'seconds', name: 'FrameDuration' },
];

/** Values of one element; more are no property of a series. */
const MOST_VALUES = 16;

/** Implements `readSidecarTask`. */
export function readSidecar({ source, frame }: ReadSidecarInput): SidecarFields {
  return withSame(source, (opened) => {
    const { dataSet } = readDicom(opened, { until: FloatPixelData });
    const fields: Record<string, string | number | readonly (string | number)[]> = {};
    for (const field of FIELDS) {
      const value = readField(dataSet, frame, field);
      if (value !== undefined) fields[field.name ?? field.keyword] ??= value;
    }
    return fields;
  });
}

function readField(dataSet: DataSet, frame: number, { keyword, within, form }: Field) {
  const tag = getTag(keyword);
  const sequence = within === undefined ? undefined : getTag(within);
  const inGroups = sequence === undefined ? dataSet : attributesOfFrame(dataSet, frame, sequence);
  const inItem = sequence === undefined ? undefined : dataSet.items(sequence)[0];
  const holder = [inGroups, inItem, dataSet].find((one) => one?.has(tag) === true);
  if (holder === undefined) return undefined;
  switch (form) {
    case 'text':
      return holder.string(tag);
    case 'clock':
      return toClock(holder.string(tag));
    case 'texts': {
      const texts = holder.strings(tag, MOST_VALUES).filter((text) => text !== '');
      return texts.length === 0 ? undefined : texts;
    }
    case 'number':
      return toFinite(holder.number(tag));
    case 'seconds': {
      const milliseconds = toFinite(holder.number(tag));
      return milliseconds === undefined ? undefined : Number((milliseconds / 1000).toPrecision(12));
    }
    case 'numbers': {
      const numbers = holder.numbers(tag, MOST_VALUES);
      return numbers.length > 0 && numbers.every(Number.isFinite) ? numbers : undefined;
    }
  }
}

function toFinite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** 102938.5 is written as 10:29:38.5, which is the form of BIDS. */
function toClock(time: string | undefined): string | undefined {
  const [, hours, minutes, seconds] = /^(\d\d)(\d\d)(\d\d(?:\.\d+)?)$/.exec(time ?? '') ?? [];
  return hours === undefined ? undefined : `${hours}:${minutes}:${seconds}`;
}

function getTag(keyword: string): number {
  const tag = findTag(keyword);
  if (tag === undefined) throw new Error(`the dictionary has no element ${keyword}`);
  return tag;
}
