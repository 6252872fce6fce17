import type { Suv } from './contract/valueMapping.ts';
import { type Moment, parseDateTime, parseMoment, parseUtcOffset, secondsBetween } from './dicomTime.ts';

/** The declared attributes that determine the uptake values of a PET image, in the units of the standard. */
export type PetAttributes = { readonly [Name in PetText]?: string | undefined } & {
  readonly [Name in PetNumber]?: number | undefined;
} & { readonly CorrectedImage?: readonly string[] | undefined };

export type PetText =
  | 'Units'
  | 'SUVType'
  | 'DecayCorrection'
  | 'RadiopharmaceuticalStartTime'
  | 'RadiopharmaceuticalStartDateTime'
  | 'SeriesDate'
  | 'SeriesTime'
  | 'AcquisitionDate'
  | 'AcquisitionTime'
  | 'TimezoneOffsetFromUTC';

export type PetNumber =
  | 'PatientWeight'
  | 'RadionuclideTotalDose'
  | 'RadionuclideHalfLife'
  | 'FrameReferenceTime'
  | 'ActualFrameDuration'
  | 'PhilipsSUVScaleFactor'
  | 'PhilipsActivityConcentrationScaleFactor';

export type PetKeyword = keyof PetAttributes;

export const PET_TAGS: Readonly<Record<PetKeyword, string>> = {
  Units: '(0054,1001)',
  SUVType: '(0054,1006)',
  CorrectedImage: '(0028,0051)',
  DecayCorrection: '(0054,1102)',
  PatientWeight: '(0010,1030)',
  RadionuclideTotalDose: '(0018,1074)',
  RadionuclideHalfLife: '(0018,1075)',
  RadiopharmaceuticalStartTime: '(0018,1072)',
  RadiopharmaceuticalStartDateTime: '(0018,1078)',
  SeriesDate: '(0008,0021)',
  SeriesTime: '(0008,0031)',
  AcquisitionDate: '(0008,0022)',
  AcquisitionTime: '(0008,0032)',
  TimezoneOffsetFromUTC: '(0008,0201)',
  FrameReferenceTime: '(0054,1300)',
  ActualFrameDuration: '(0018,1242)',
  PhilipsSUVScaleFactor: '(7053,1000)',
  PhilipsActivityConcentrationScaleFactor: '(7053,1009)',
};

type SuvInput = Extract<Suv, { factor: number }>['inputs'][number];
type SuvProblem = Extract<Suv, { missing: unknown }>['missing'][number];

/**
 * Follows the vendor-neutral rules of the Quantitative Imaging Biomarkers Alliance. Missing values are never guessed.
 */
export function computeSuv(pet: PetAttributes): Suv {
  const { Units: units, SUVType: suvType = 'BW', PhilipsSUVScaleFactor: philips } = pet;
  switch (units) {
    case 'GML':
      if (suvType !== 'BW') return refuse(problem('SUVType', `is ${suvType}: the values are not by body weight`));
      return { factor: 1, formula: 'SUVbw = value', inputs: listInputs(pet, ['Units', 'SUVType']) };
    case 'BQML':
      return computeFromActivity(pet);
    case 'CNTS':
      if (!isPositive(philips)) return computeFromCounts(pet);
      return {
        factor: philips,
        formula: 'SUVbw = value × SUV scale factor',
        inputs: listInputs(pet, ['Units', 'PhilipsSUVScaleFactor']),
      };
    case undefined:
      return refuse(problem('Units', 'is missing'));
    default:
      return refuse(problem('Units', `is ${units}: the values are not an activity concentration`));
  }
}

function computeFromCounts(pet: PetAttributes): Suv {
  const { PhilipsActivityConcentrationScaleFactor: toActivity } = pet;
  if (!isPositive(toActivity)) {
    return refuse(
      problem('PhilipsSUVScaleFactor', 'is missing, so counts cannot be converted to an activity concentration'),
    );
  }
  const suv = computeFromActivity(pet);
  if ('missing' in suv) return suv;
  return {
    factor: suv.factor * toActivity,
    formula: suv.formula.replace('value', 'value × activity concentration scale factor'),
    inputs: [...suv.inputs, ...listInputs(pet, ['PhilipsActivityConcentrationScaleFactor'])],
  };
}

function computeFromActivity(pet: PetAttributes): Suv {
  const { PatientWeight: weightKg, RadionuclideTotalDose: doseBq, DecayCorrection: correction } = pet;
  const problems = [
    ...findMissing(pet, ['PatientWeight', 'RadionuclideTotalDose']),
    ...findCorrectionProblems(pet),
    ...(correction === 'START' ? findMissing(pet, ['RadionuclideHalfLife']) : []),
  ];
  const elapsed = correction === 'START' ? findElapsed(pet) : NO_DECAY;
  if ('keyword' in elapsed) problems.push(elapsed);
  if (problems.length > 0 || 'keyword' in elapsed || !isPositive(weightKg) || !isPositive(doseBq)) {
    return refuse(...problems);
  }
  const atInjection: readonly PetKeyword[] = ['Units', 'DecayCorrection', 'PatientWeight', 'RadionuclideTotalDose'];
  const gramsPerBq = (weightKg * 1000) / doseBq;
  if (correction !== 'START') {
    const formula = 'SUVbw = value × weight × 1000 ÷ dose';
    return { factor: gramsPerBq, formula, inputs: listInputs(pet, atInjection) };
  }
  const halfLifeS = pet.RadionuclideHalfLife ?? 1;
  return {
    factor: gramsPerBq * 2 ** (elapsed.seconds / halfLifeS),
    formula: `SUVbw = value × weight × 1000 ÷ (dose × 2^(−t ÷ half-life)), t = ${Number(elapsed.seconds.toFixed(3))} s`,
    inputs: listInputs(pet, [...atInjection, 'RadionuclideHalfLife', ...elapsed.keywords]),
  };
}

function findCorrectionProblems({ DecayCorrection: correction, CorrectedImage: corrected = [] }: PetAttributes) {
  const problems: SuvProblem[] = [];
  if (correction === undefined) problems.push(problem('DecayCorrection', 'is missing'));
  else if (correction !== 'START' && correction !== 'ADMIN') {
    problems.push(problem('DecayCorrection', `is ${correction}: the values are not corrected to a known time`));
  }
  const lacking = Object.keys(CORRECTIONS).filter((term) => corrected.length > 0 && !corrected.includes(term));
  for (const term of lacking)
    problems.push(problem('CorrectedImage', `has no ${term}: no correction for ${CORRECTIONS[term]}`));
  return problems;
}

const CORRECTIONS: Readonly<Record<string, string>> = { ATTN: 'attenuation', DECY: 'decay' };

/** Time from the injection to the moment that the values are decay-corrected to, and the attributes it comes from. */
type Elapsed = { readonly seconds: number; readonly keywords: readonly PetKeyword[] };

const NO_DECAY: Elapsed = { seconds: 0, keywords: [] };

function findElapsed(pet: PetAttributes): Elapsed | SuvProblem {
  const scan = findScanStart(pet);
  if ('keyword' in scan) return scan;
  const injected = parseDateTime(pet.RadiopharmaceuticalStartDateTime);
  if (injected !== undefined) {
    const seconds = secondsBetween(injected, scan.moment) + findClockShift(pet);
    if (seconds < 0) return problem('RadiopharmaceuticalStartDateTime', 'is after the start of the scan');
    return checkElapsed(pet, 'RadiopharmaceuticalStartDateTime', seconds, scan.keywords);
  }
  const clock = parseMoment(undefined, pet.RadiopharmaceuticalStartTime);
  if (clock === undefined)
    return problem('RadiopharmaceuticalStartTime', whyUnusable(pet.RadiopharmaceuticalStartTime));
  return checkElapsed(pet, 'RadiopharmaceuticalStartTime', secondsBetween(clock, scan.moment), scan.keywords);
}

/**
 * What the clock of the injection is ahead of that of the scan. The offset from UTC of the file is that of all its times
 * without one of their own; without it, all times are taken from one clock.
 */
function findClockShift(pet: PetAttributes): number {
  const ofScan = parseUtcOffset(pet.TimezoneOffsetFromUTC);
  const ofInjection = parseUtcOffset(pet.RadiopharmaceuticalStartDateTime);
  return ofScan === undefined || ofInjection === undefined ? 0 : ofInjection - ofScan;
}

/** After as many half-lives, a thousandth of the dose is left, so one of the times is wrong. */
const MOST_HALF_LIVES = 10;

function checkElapsed(
  { RadionuclideHalfLife: halfLifeS }: PetAttributes,
  keyword: 'RadiopharmaceuticalStartDateTime' | 'RadiopharmaceuticalStartTime',
  seconds: number,
  ofScan: readonly PetKeyword[],
): Elapsed | SuvProblem {
  if (isPositive(halfLifeS) && seconds > MOST_HALF_LIVES * halfLifeS) {
    const elapsed = `${Number(seconds.toFixed(3))} s`;
    return problem(keyword, `is ${elapsed} before the start of the scan, over ten half-lives`);
  }
  return { seconds, keywords: [keyword, ...ofScan] };
}

type ScanStart = { readonly moment: Moment; readonly keywords: readonly PetKeyword[] };

/**
 * Series Time, unless it is after the acquisition. In that case the series was created later, and the start of the scan
 * is calculated back from the acquisition of this image.
 */
function findScanStart(pet: PetAttributes): ScanStart | SuvProblem {
  const series = parseMoment(pet.SeriesDate, pet.SeriesTime);
  const acquisition = parseMoment(pet.AcquisitionDate, pet.AcquisitionTime);
  if (series !== undefined && (acquisition === undefined || !isAfter(series, acquisition))) {
    return { moment: series, keywords: ['SeriesDate', 'SeriesTime'] };
  }
  const { FrameReferenceTime: referenceMs, ActualFrameDuration: durationMs, RadionuclideHalfLife: halfLifeS } = pet;
  if (acquisition !== undefined && isPositive(referenceMs) && isPositive(durationMs) && isPositive(halfLifeS)) {
    const seconds = acquisition.seconds - referenceMs / 1000 + meanCountTime(durationMs / 1000, halfLifeS);
    const keywords = ['AcquisitionDate', 'AcquisitionTime', 'FrameReferenceTime', 'ActualFrameDuration'] as const;
    return { moment: { day: acquisition.day, seconds }, keywords };
  }
  if (series === undefined) return problem('SeriesTime', whyUnusable(pet.SeriesTime));
  return problem('SeriesTime', 'is after Acquisition Time, and no other attribute gives the start of the scan');
}

/** Time within a frame at which the activity equals the average over the frame. */
function meanCountTime(durationS: number, halfLifeS: number): number {
  const decayed = (Math.LN2 / halfLifeS) * durationS;
  return (halfLifeS / Math.LN2) * Math.log(decayed / (1 - Math.exp(-decayed)));
}

function isAfter(a: Moment, b: Moment): boolean {
  if (a.day === undefined || b.day === undefined) return a.seconds > b.seconds;
  return secondsBetween(b, a) > 0;
}

function findMissing(pet: PetAttributes, keywords: readonly PetNumber[]): SuvProblem[] {
  return keywords.flatMap((keyword) => {
    const value = pet[keyword];
    const why = value === undefined ? 'is missing' : `is ${value}`;
    return isPositive(value) ? [] : [problem(keyword, why)];
  });
}

function whyUnusable(value: string | undefined): string {
  return value === undefined || value === '' ? 'is missing' : `is ${value}, which is not a time`;
}

function isPositive(value: number | undefined): value is number {
  return value !== undefined && value > 0 && Number.isFinite(value);
}

function listInputs(pet: PetAttributes, keywords: readonly PetKeyword[]): SuvInput[] {
  return keywords.flatMap((keyword) => {
    const value = pet[keyword];
    return value === undefined ? [] : [{ tag: PET_TAGS[keyword], keyword, value: String(value) }];
  });
}

function problem(keyword: PetKeyword, why: string): SuvProblem {
  return { tag: PET_TAGS[keyword], keyword, why };
}

function refuse(...missing: SuvProblem[]): Suv {
  return { missing };
}
