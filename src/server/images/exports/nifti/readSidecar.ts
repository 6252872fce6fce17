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
  readonly name: string;
  readonly form: Form;
  readonly keyword: string;
  /** The sequence that contains the element: in the functional groups of a frame, or at the top level. */
  readonly within?: string;
};

const PHARMACEUTICAL = 'RadiopharmaceuticalInformationSequence';

/**
 * The fields, in the order of the file. Names are those of BIDS and dcm2niix. Nothing here names the patient, a person or an
 * institution, and no dates and UIDs are written, by which a patient can be found.
 */
const FIELDS: readonly Field[] = [
  { name: 'Modality', form: 'text', keyword: 'Modality' },
  { name: 'MagneticFieldStrength', form: 'number', keyword: 'MagneticFieldStrength' },
  { name: 'ImagingFrequency', form: 'number', keyword: 'ImagingFrequency' },
  { name: 'Manufacturer', form: 'text', keyword: 'Manufacturer' },
  { name: 'ManufacturersModelName', form: 'text', keyword: 'ManufacturerModelName' },
  { name: 'SoftwareVersions', form: 'text', keyword: 'SoftwareVersions' },
  { name: 'BodyPartExamined', form: 'text', keyword: 'BodyPartExamined' },
  { name: 'PatientPosition', form: 'text', keyword: 'PatientPosition' },
  { name: 'SeriesDescription', form: 'text', keyword: 'SeriesDescription' },
  { name: 'ProtocolName', form: 'text', keyword: 'ProtocolName' },
  { name: 'ImageType', form: 'texts', keyword: 'ImageType' },
  { name: 'SeriesNumber', form: 'number', keyword: 'SeriesNumber' },
  { name: 'AcquisitionNumber', form: 'number', keyword: 'AcquisitionNumber' },
  { name: 'AcquisitionTime', form: 'clock', keyword: 'AcquisitionTime' },
  { name: 'SliceThickness', form: 'number', keyword: 'SliceThickness', within: 'PixelMeasuresSequence' },
  { name: 'SpacingBetweenSlices', form: 'number', keyword: 'SpacingBetweenSlices', within: 'PixelMeasuresSequence' },
  {
    name: 'ImageOrientationPatientDICOM',
    form: 'numbers',
    keyword: 'ImageOrientationPatient',
    within: 'PlaneOrientationSequence',
  },
  { name: 'MRAcquisitionType', form: 'text', keyword: 'MRAcquisitionType' },
  { name: 'ScanningSequence', form: 'texts', keyword: 'ScanningSequence' },
  { name: 'SequenceVariant', form: 'texts', keyword: 'SequenceVariant' },
  { name: 'ScanOptions', form: 'texts', keyword: 'ScanOptions' },
  { name: 'SequenceName', form: 'text', keyword: 'SequenceName' },
  { name: 'PulseSequenceName', form: 'text', keyword: 'PulseSequenceName' },
  {
    name: 'RepetitionTime',
    form: 'seconds',
    keyword: 'RepetitionTime',
    within: 'MRTimingAndRelatedParametersSequence',
  },
  { name: 'EchoTime', form: 'seconds', keyword: 'EchoTime' },
  { name: 'EchoTime', form: 'seconds', keyword: 'EffectiveEchoTime', within: 'MREchoSequence' },
  { name: 'EchoNumber', form: 'number', keyword: 'EchoNumbers' },
  { name: 'InversionTime', form: 'seconds', keyword: 'InversionTime' },
  { name: 'FlipAngle', form: 'number', keyword: 'FlipAngle', within: 'MRTimingAndRelatedParametersSequence' },
  {
    name: 'EchoTrainLength',
    form: 'number',
    keyword: 'EchoTrainLength',
    within: 'MRTimingAndRelatedParametersSequence',
  },
  { name: 'NumberOfAverages', form: 'number', keyword: 'NumberOfAverages', within: 'MRAveragesSequence' },
  { name: 'PercentSampling', form: 'number', keyword: 'PercentSampling', within: 'MRFOVGeometrySequence' },
  { name: 'PercentPhaseFOV', form: 'number', keyword: 'PercentPhaseFieldOfView', within: 'MRFOVGeometrySequence' },
  { name: 'PixelBandwidth', form: 'number', keyword: 'PixelBandwidth', within: 'MRImagingModifierSequence' },
  { name: 'SAR', form: 'number', keyword: 'SAR' },
  {
    name: 'InPlanePhaseEncodingDirectionDICOM',
    form: 'text',
    keyword: 'InPlanePhaseEncodingDirection',
    within: 'MRFOVGeometrySequence',
  },
  { name: 'ContrastBolusIngredient', form: 'text', keyword: 'ContrastBolusIngredient' },
  { name: 'KVP', form: 'number', keyword: 'KVP', within: 'CTXRayDetailsSequence' },
  { name: 'XRayTubeCurrent', form: 'number', keyword: 'XRayTubeCurrent' },
  { name: 'XRayExposure', form: 'number', keyword: 'Exposure' },
  { name: 'ExposureTime', form: 'seconds', keyword: 'ExposureTime' },
  { name: 'ConvolutionKernel', form: 'text', keyword: 'ConvolutionKernel', within: 'CTReconstructionSequence' },
  { name: 'GantryDetectorTilt', form: 'number', keyword: 'GantryDetectorTilt' },
  { name: 'TracerName', form: 'text', keyword: 'Radiopharmaceutical', within: PHARMACEUTICAL },
  { name: 'InjectedRadioactivity', form: 'number', keyword: 'RadionuclideTotalDose', within: PHARMACEUTICAL },
  { name: 'RadionuclideHalfLife', form: 'number', keyword: 'RadionuclideHalfLife', within: PHARMACEUTICAL },
  {
    name: 'RadionuclidePositronFraction',
    form: 'number',
    keyword: 'RadionuclidePositronFraction',
    within: PHARMACEUTICAL,
  },
  { name: 'DecayCorrection', form: 'text', keyword: 'DecayCorrection' },
  { name: 'AttenuationCorrectionMethod', form: 'text', keyword: 'AttenuationCorrectionMethod' },
  { name: 'ReconstructionMethod', form: 'text', keyword: 'ReconstructionMethod' },
  { name: 'DecayFactor', form: 'number', keyword: 'DecayFactor' },
  { name: 'FrameDuration', form: 'seconds', keyword: 'ActualFrameDuration' },
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
      if (value !== undefined) fields[field.name] ??= value;
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
