import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { ctHeader, writeImage } from './ctTree.ts';

const STUDY_SERIES = 4;
const UID_ROOT = '2.25.77167267688692684862549894335621004186.';
const [INSTANCE, SERIES, STUDY] = ['1000000001', '3000000001', '5000000001'];

type Numbers = { readonly file: number; readonly image: number; readonly series: number; readonly study: number };

/** Elements whose values differ from file to file or from series to series: their place in the header, and their value. */
const VARIED: Readonly<Record<string, readonly [place: string, valueOf: (numbers: Numbers) => string | number]>> = {
  InstanceNumber: ['1111111', ({ image }) => image + 1],
  SliceLocation: ['2222.222', ({ image }) => (image * 1.25 - 150).toFixed(2)],
  PatientID: ['PATIENT-3333333', ({ study }) => `PATIENT-${study}`],
  SeriesNumber: ['4444', ({ series }) => (series % STUDY_SERIES) + 1],
  KVP: ['555', ({ study }) => [80, 100, 120, 140][study % 4]!],
  XRayTubeCurrent: ['666', ({ file }) => 100 + ((file * 7919) % 400)],
  Exposure: ['777', ({ file }) => 20 + ((file * 104_729) % 180)],
  ExposureTime: ['8888', ({ study }) => 250 + (study % 7) * 50],
  ConvolutionKernel: ['B99f', ({ series }) => ['B30f', 'B50f', 'B70f', 'I26f'][series % STUDY_SERIES]!],
  ReconstructionDiameter: ['121.212', ({ study }) => (300 + (study % 90) * 1.5).toFixed(1)],
  TableHeight: ['131.31', ({ study }) => (100 + (study % 60)).toFixed(1)],
  AcquisitionTime: ['141516.171819', ({ file }) => clock(file)],
  ProtocolName: ['Protocol 192021', ({ study }) => `Protocol ${study % 40}`],
  SliceThickness: ['2.525', ({ series }) => [0.6, 1, 1.25, 2.5, 5][series % 5]!],
};

export const HARVESTED: readonly string[] = [
  'SliceLocation',
  'KVP',
  'XRayTubeCurrent',
  'Exposure',
  'ExposureTime',
  'ConvolutionKernel',
  'ReconstructionDiameter',
  'TableHeight',
  'AcquisitionTime',
  'ProtocolName',
];

type CohortOptions = { readonly hasPixels: boolean; readonly seriesImages?: number };

/**
 * Writes images of CT in studies of four series, whose values differ as those of a cohort do. `hasPixels`: with the 270 elements of a
 * scanner and pixels, which are a hole in the file; else with some 60 elements and nothing else.
 */
export function writeCohort(folder: string, count: number, { hasPixels, seriesImages = 250 }: CohortOptions): void {
  const places = Object.fromEntries(Object.entries(VARIED).map(([keyword, [place]]) => [keyword, place]));
  const elements: DataSetInput = {
    ...(hasPixels ? ctHeader() : plainHeader()),
    ...places,
    SOPInstanceUID: UID_ROOT + INSTANCE,
    SeriesInstanceUID: UID_ROOT + SERIES,
    StudyInstanceUID: UID_ROOT + STUDY,
  };
  const template = Buffer.from(writeDicom(elements));
  const patches = [
    ...Object.values(VARIED),
    [INSTANCE, ({ file }: Numbers) => Number(INSTANCE) + file] as const,
    [SERIES, ({ series }: Numbers) => Number(SERIES) + series] as const,
    [STUDY, ({ study }: Numbers) => Number(STUDY) + study] as const,
  ].map(([place, valueOf]) => ({ at: findAll(template, place), length: place.length, valueOf }));
  for (let file = 0; file < count; file += 1) {
    const [series, image] = [Math.floor(file / seriesImages), file % seriesImages];
    const study = Math.floor(series / STUDY_SERIES);
    const place = join(folder, `study${study}`, `series${series}`);
    if (image === 0) mkdirSync(place, { recursive: true });
    for (const { at, length, valueOf } of patches) {
      const text = String(valueOf({ file, image, series, study })).padEnd(length);
      for (const start of at) template.write(text, start, 'latin1');
    }
    const path = join(place, `IM${file}.dcm`);
    if (hasPixels) writeImage(path, template);
    else writePlain(path, template);
  }
}

/** Thirty images a second, from eight o'clock on. */
function clock(file: number): string {
  const second = 8 * 3600 + (Math.floor(file / 30) % (10 * 3600));
  const parts = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join('')}.${String(file % 30).padStart(6, '0')}`;
}

/** Without private elements and sequences. */
function plainHeader(): DataSetInput {
  return Object.fromEntries(Object.entries(ctHeader()).filter(([keyword]) => !/^[\da-f]{8}$|Sequence$/.test(keyword)));
}

function writePlain(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'w');
  writeSync(file, bytes);
  closeSync(file);
}

function findAll(bytes: Buffer, text: string): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(text, 0, 'latin1'); at >= 0; at = bytes.indexOf(text, at + 1, 'latin1')) found.push(at);
  if (found.length === 0) throw new Error(`the header has no ${text}`);
  return found;
}
