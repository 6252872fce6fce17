import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExplicitVrLittleEndian } from '../server/standard/dicom/transferSyntax.ts';
import { RLE_LOSSLESS } from '../server/images/pixels/codecs/rle.ts';
import { type DataSetInput, writeDicom } from '../server/standard/dicom/writeDicom.ts';
import { createPatientModel, type PatientModel } from './anatomy/patientModel.ts';
import { binarySegmentation } from './binarySegmentation.ts';
import { createCtScanner, ctImage, ctPlanes, type CtSlice } from './ct.ts';
import type { DemoPart } from './demoTask.ts';
import { enhancedMrImage, scanDiffusion } from './enhancedMr.ts';
import { fractionalSegmentation } from './fractionalSegmentation.ts';
import { keyObjectSelection } from './keyObjectSelection.ts';
import { measureLesions } from './lesionMeasurements.ts';
import { mammogram } from './mammogram/mammogram.ts';
import { measurementReport } from './measurementReport.ts';
import { modelOutput } from './modelOutput.ts';
import { createMrImages } from './mr.ts';
import { parametricMap } from './parametricMap.ts';
import { presentationState } from './presentationState.ts';
import { rtDose } from './rtDose.ts';
import { rtPlan } from './rtPlan.ts';
import { rtStructureSet } from './rtStructureSet.ts';
import { createSlideImages } from './slide/wholeSlide.ts';
import { ultrasoundCine } from './ultrasound/ultrasoundCine.ts';

type DemoFile = { readonly path: string; readonly make: () => Uint8Array };

/** Writes one part of the study into the folder. Runs in a worker thread, because it computes for a second or more. */
export function writeDemoPart(
  { folder, part }: { readonly folder: string; readonly part: DemoPart },
  { throwIfCancelled }: { readonly throwIfCancelled: () => void },
  onWritten: (path: string) => void = () => {},
): void {
  for (const { path, make } of FILES[part]()) {
    throwIfCancelled();
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeNew(join(folder, path), make());
    onWritten(path);
  }
}

/** Writes only the first slice. */
export function writeFirstFile(folder: string): void {
  for (const { path, make } of crossSections()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeNew(join(folder, path), make());
    return;
  }
}

/** An existing file is not overwritten, because it may be open. */
function writeNew(path: string, bytes: Uint8Array): void {
  try {
    writeFileSync(path, bytes, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

const FILES: Readonly<Record<DemoPart, () => Iterable<DemoFile>>> = {
  crossSections,
  ultrasound: () => [runLengthCoded('04-ultrasound.dcm', ultrasoundCine())],
  mammogram: () => [runLengthCoded('05-mammogram.dcm', mammogram())],
  slide: () => createSlideImages().map(({ name, dataSet }) => runLengthCoded(`13-slide/${name}.dcm`, dataSet)),
};

function* crossSections(): Generator<DemoFile> {
  const model = createPatientModel();
  yield* ctFiles(model);
  yield* mrFiles(model);
}

/** Names begin with the series number, so that folder and series order agree. */
function* ctFiles(model: PatientModel): Generator<DemoFile> {
  const scanner = createCtScanner(model);
  const slices: CtSlice[] = [];
  for (const [index, plane] of ctPlanes().entries()) {
    const slice = scanner.scan(plane, index);
    slices.push(slice);
    yield runLengthCoded(`01-ct/${numbered(index)}`, ctImage(slice));
  }
  yield native('06-organs.seg.dcm', binarySegmentation(slices));
  yield native('09-structures.dcm', rtStructureSet(slices));
  yield native('10-plan.dcm', rtPlan());
  yield native('11-dose.dcm', rtDose(slices));
  const measurements = measureLesions(slices);
  yield native('12-report.dcm', measurementReport(measurements));
  yield native('14-presentation.dcm', presentationState(slices, measurements.longAxis));
  yield native('15-key-images.dcm', keyObjectSelection(slices, measurements.longAxis));
  yield { path: '16-model-organs.nii.gz', make: () => modelOutput(slices) };
}

function* mrFiles(model: PatientModel): Generator<DemoFile> {
  for (const [index, dataSet] of [...createMrImages(model)].entries())
    yield native(`02-mr/${numbered(index)}`, dataSet);
  const diffusion = scanDiffusion(model);
  yield native('03-diffusion.dcm', enhancedMrImage(diffusion));
  yield native('07-probability.seg.dcm', fractionalSegmentation(diffusion));
  yield native('08-adc.dcm', parametricMap(diffusion));
}

function numbered(index: number): string {
  return `${String(index + 1).padStart(3, '0')}.dcm`;
}

function native(path: string, dataSet: DataSetInput): DemoFile {
  return { path, make: () => writeDicom(dataSet, { transferSyntaxUid: ExplicitVrLittleEndian }) };
}

function runLengthCoded(path: string, dataSet: DataSetInput): DemoFile {
  return { path, make: () => writeDicom(dataSet, { transferSyntaxUid: RLE_LOSSLESS }) };
}
