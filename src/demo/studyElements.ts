import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';

/** Made once from a random UUID, as PS3.5 B.2 allows; all identifiers of the study are below it. */
const ROOT = '2.25.94556295541425304986228651726201469971';

export const STUDY_INSTANCE_UID = `${ROOT}.1`;
/** Shared by all objects that show the inside of the trunk, so that one can be laid over another. */
export const FRAME_OF_REFERENCE_UID = `${ROOT}.2.1`;
export const SLIDE_FRAME_OF_REFERENCE_UID = `${ROOT}.2.2`;
export const SLIDE_PYRAMID_UID = `${ROOT}.2.3`;
export const SLIDE_DIMENSIONS_UID = `${ROOT}.2.4`;
export const SPECIMEN_UID = `${ROOT}.2.5`;

export const STUDY_DATE = '20250114';
const STUDY_TIME = '090000';

/** One series of the study. */
export type DemoSeries = {
  readonly number: number;
  readonly modality: string;
  readonly description: string;
  /** Time of day, HHMMSS. */
  readonly time: string;
};

/** The series of the study. Names of files begin with their numbers. */
export const DEMO_SERIES = {
  ct: { number: 1, modality: 'CT', description: 'Chest and abdomen, portal venous', time: '090500' },
  mr: { number: 2, modality: 'MR', description: 'T2 single shot, oblique coronal', time: '093000' },
  diffusion: { number: 3, modality: 'MR', description: 'Diffusion, b 50 and 800, axial', time: '094000' },
  ultrasound: { number: 4, modality: 'US', description: 'Heart, four chambers, color flow', time: '095000' },
  mammography: { number: 5, modality: 'MG', description: 'Left breast, mediolateral oblique', time: '083000' },
  organs: { number: 6, modality: 'SEG', description: 'Organs and lesions', time: '100000' },
  probability: { number: 7, modality: 'SEG', description: 'Liver and lesions, probability', time: '101000' },
  adc: { number: 8, modality: 'MR', description: 'Apparent diffusion coefficient', time: '102000' },
  structureSet: { number: 9, modality: 'RTSTRUCT', description: 'Planning structures', time: '103000' },
  plan: { number: 10, modality: 'RTPLAN', description: 'Five fields on the largest lesion', time: '104000' },
  dose: { number: 11, modality: 'RTDOSE', description: 'Dose of five fields', time: '105000' },
  report: { number: 12, modality: 'SR', description: 'Measurements of liver and lungs', time: '110000' },
  slide: { number: 13, modality: 'SM', description: 'Liver biopsy, H&E', time: '130000' },
  state: { number: 14, modality: 'PR', description: 'Largest liver lesion, as discussed', time: '111500' },
  selection: { number: 15, modality: 'KO', description: 'Key images', time: '112000' },
} as const satisfies Readonly<Record<string, DemoSeries>>;

export function seriesUid(series: DemoSeries): string {
  return `${ROOT}.3.${series.number}`;
}

/** `instance` counts from 1, as Instance Number does. */
export function instanceUid(series: DemoSeries, instance: number): string {
  return `${ROOT}.4.${series.number}.${instance}`;
}

/** An identifier for a part of an instance, such as its dimension organization. */
export function partUid(series: DemoSeries, part: number): string {
  return `${ROOT}.5.${series.number}.${part}`;
}

/** The elements common to all objects of the study: patient, study, series, equipment and instance. */
export function commonElements(series: DemoSeries, sopClassUid: string, instance: number): DataSetInput {
  return {
    SpecificCharacterSet: 'ISO_IR 192',
    InstanceCreationDate: STUDY_DATE,
    InstanceCreationTime: series.time,
    SOPClassUID: sopClassUid,
    SOPInstanceUID: instanceUid(series, instance),
    StudyDate: STUDY_DATE,
    SeriesDate: STUDY_DATE,
    ContentDate: STUDY_DATE,
    StudyTime: STUDY_TIME,
    SeriesTime: series.time,
    ContentTime: series.time,
    AccessionNumber: '',
    Modality: series.modality,
    Manufacturer: 'negato',
    ReferringPhysicianName: '',
    StudyDescription: 'Demo study, computed, not of a person',
    SeriesDescription: series.description,
    ManufacturerModelName: 'Demo phantom',
    PatientName: 'Demo^Phantom',
    PatientID: 'NEGATO-DEMO',
    PatientBirthDate: '19750601',
    PatientSex: 'F',
    PatientAge: '049Y',
    PatientSize: 1.68,
    PatientWeight: 66,
    DeviceSerialNumber: '1',
    SoftwareVersions: '1',
    StudyInstanceUID: STUDY_INSTANCE_UID,
    SeriesInstanceUID: seriesUid(series),
    StudyID: '1',
    SeriesNumber: series.number,
    InstanceNumber: instance,
  };
}

export function frameOfReference(): DataSetInput {
  return { FrameOfReferenceUID: FRAME_OF_REFERENCE_UID, PositionReferenceIndicator: '' };
}
