import type { DicomFile } from '../catalog/dicomFile.ts';
import { type FileFact, type FactFold, saidIn } from './factFold.ts';
import { countWords, FoundFiles, seriesUnit, toFinding } from './finding.ts';

type Likelihood = 'likely' | 'possible';
type Suspicion = { readonly likelihood: Likelihood; readonly reason: string };

type SuspectedSeries = {
  readonly of: DicomFile;
  readonly files: FoundFiles;
  likelihood: Likelihood;
  readonly reasons: Map<string, number>;
};

/** Says where headers make text in the pixels likely. No header says reliably that there is none. */
export function createBurnedInFold(): FactFold {
  const all = new Map<string, SuspectedSeries>();
  return {
    take(file, facts) {
      if (!file.hasPixels) return;
      const suspicions = suspect(file, facts);
      if (suspicions.length === 0) return;
      const { studyInstanceUid, seriesInstanceUid } = file;
      const id = seriesInstanceUid === '' ? file.path : `${studyInstanceUid}/${seriesInstanceUid}`;
      const known = all.get(id) ?? { of: file, files: new FoundFiles(), likelihood: 'possible', reasons: new Map() };
      all.set(id, known);
      known.files.add(file);
      for (const { likelihood, reason } of suspicions) {
        if (likelihood === 'likely') known.likelihood = likelihood;
        known.reasons.set(reason, (known.reasons.get(reason) ?? 0) + 1);
      }
    },
    *findings(list) {
      for (const { of, files, likelihood, reasons } of all.values()) {
        yield;
        list.add(
          toFinding({
            code: likelihood === 'likely' ? 'burned_in_likely' : 'burned_in_possible',
            unit: seriesUnit(of),
            files: files.list(),
            count: files.count,
            message: `text in the pixels of ${countWords(files.count, 'file')} is ${likelihood}: ${[...reasons.keys()].join('; ')}`,
            values: { reasons: Object.fromEntries(reasons) },
          }),
        );
      }
    },
  };
}

const ULTRASOUND = /^1\.2\.840\.10008\.5\.1\.4\.1\.1\.(3\.1|6\.1|6\.2|6\.3)$/;
const SECONDARY_CAPTURE = /^1\.2\.840\.10008\.5\.1\.4\.1\.1\.7(\.[1-4])?$/;
/** Photographs and videos of endoscopes, microscopes and cameras. */
const VISIBLE_LIGHT = /^1\.2\.840\.10008\.5\.1\.4\.1\.1\.77\.1\.([1-4](\.1)?|5\.\d)$/;
/** Images of film, video and paper, on which everything is. PS3.3 C.8.6.1. */
const CAPTURED: ReadonlyMap<string, string> = new Map([
  ['DV', 'digitized video'],
  ['DI', 'digital interface'],
  ['DF', 'digitized film'],
  ['SD', 'scanned document'],
  ['SI', 'scanned image'],
  ['DRW', 'drawing'],
  ['SYN', 'synthetic image'],
]);

function suspect(file: DicomFile, facts: readonly FileFact[]): Suspicion[] {
  const declared = saidIn(facts, 'BurnedInAnnotation');
  const conversion = saidIn(facts, 'ConversionType') ?? '';
  const found: Suspicion[] = [];
  const add = (likelihood: Likelihood, reason: string) => found.push({ likelihood, reason });
  /** Kinds of images that usually have text, unless the file says that it has none. */
  const usually: Likelihood = declared === 'NO' ? 'possible' : 'likely';
  const although = declared === 'NO' ? ', although Burned In Annotation is NO' : '';
  if (declared === 'YES') add('likely', 'Burned In Annotation is YES');
  if (SECONDARY_CAPTURE.test(file.sopClassUid)) add(usually, `secondary capture${although}`);
  if (ULTRASOUND.test(file.sopClassUid)) {
    const hasRegions = saidIn(facts, 'SequenceOfUltrasoundRegions') !== undefined;
    add(
      usually,
      `ultrasound ${hasRegions ? 'with regions that leave parts of the screen out' : 'without regions'}${although}`,
    );
  }
  const captured = CAPTURED.get(conversion);
  if (captured !== undefined) add(usually, `Conversion Type is ${conversion}, ${captured}${although}`);
  if (declared !== 'NO' && VISIBLE_LIGHT.test(file.sopClassUid)) add('possible', 'photograph or video');
  if (saidIn(facts, 'RecognizableVisualFeatures') === 'YES') add('possible', 'Recognizable Visual Features is YES');
  const [, second] = (saidIn(facts, 'ImageType') ?? '').split('\\');
  const isPrimaryClass = !SECONDARY_CAPTURE.test(file.sopClassUid) && !ULTRASOUND.test(file.sopClassUid);
  if (isPrimaryClass && second === 'SECONDARY' && declared !== 'NO' && SCREENS.has(file.modality)) {
    add('possible', `secondary image of ${file.modality}`);
  }
  return found;
}

/** Modalities whose secondary images often are pictures of a screen, or have stamps. */
const SCREENS: ReadonlySet<string> = new Set(['CR', 'DX', 'MG', 'RF', 'XA', 'CT', 'MR', 'PT', 'NM', 'XC', 'ES']);
