import { describe, expect, test } from 'vitest';
import { computeSuv, type PetAttributes } from './suv.ts';

/** 70 kg and 350 MBq; the scan begins one half-life of 6,000 s after the injection. */
const PET: PetAttributes = {
  Units: 'BQML',
  CorrectedImage: ['ATTN', 'DECY'],
  DecayCorrection: 'START',
  PatientWeight: 70,
  RadionuclideTotalDose: 350_000_000,
  RadionuclideHalfLife: 6000,
  RadiopharmaceuticalStartTime: '100000',
  SeriesDate: '20240131',
  SeriesTime: '114000',
  AcquisitionDate: '20240131',
  AcquisitionTime: '114500',
};

function factorOf(different: PetAttributes): number {
  const suv = computeSuv({ ...PET, ...different });
  if ('missing' in suv) throw new Error(JSON.stringify(suv.missing));
  return suv.factor;
}

function problemsOf(different: PetAttributes): string[] {
  const suv = computeSuv({ ...PET, ...different });
  return 'missing' in suv ? suv.missing.map(({ tag, keyword, why }) => `${tag} ${keyword} ${why}`) : [];
}

describe('the factor to SUVbw', () => {
  test('is the body weight in grams divided by the dose decayed until the scan', () => {
    // 70 x 1000 / (350e6 x 1/2)
    expect(factorOf({})).toBeCloseTo(0.0004, 12);
  });

  test('does not decay the dose if values are corrected to the administration', () => {
    // 70 x 1000 / 350e6
    expect(factorOf({ DecayCorrection: 'ADMIN', SeriesTime: undefined })).toBeCloseTo(0.0002, 12);
  });

  test('prefers the date and time of the injection to the time alone', () => {
    // One more half-life: 70 x 1000 / (350e6 x 1/4)
    expect(factorOf({ RadiopharmaceuticalStartDateTime: '20240131082000' })).toBeCloseTo(0.0008, 12);
  });

  test('assumes the previous day for an injection with a later clock time than the scan', () => {
    // From 23:00 to 00:40: 6,000 s
    const late = { RadiopharmaceuticalStartTime: '230000', SeriesTime: '004000', AcquisitionTime: '010000' };
    expect(factorOf(late)).toBeCloseTo(0.0004, 12);
  });

  test('computes the start of the scan from the acquisition if the series was made later', () => {
    // The activity at the start of a frame of 600 s is 0.0693147 / (1 - e^-0.0693147) = 1.035061 times its average,
    // which is reached after 6000 / ln 2 x ln 1.035061 = 298.28 s. So the scan began at 11:45:00 - 598.28 + 298.28 s,
    // which is 11:40:00.
    const made = { SeriesTime: '180000', FrameReferenceTime: 598_280, ActualFrameDuration: 600_000 };
    expect(factorOf(made)).toBeCloseTo(0.0004, 8);
  });

  test('is 1 if the values are SUVbw, and that of the manufacturer if it declares one', () => {
    expect(factorOf({ Units: 'GML', PatientWeight: undefined })).toBe(1);
    expect(factorOf({ Units: 'CNTS', PhilipsSUVScaleFactor: 0.00125, PatientWeight: undefined })).toBe(0.00125);
  });

  test('uses the activity per count that the manufacturer declares', () => {
    // 0.0004 x 2.5
    expect(factorOf({ Units: 'CNTS', PhilipsActivityConcentrationScaleFactor: 2.5 })).toBeCloseTo(0.001, 12);
  });

  test('comes with its formula and every value in it', () => {
    expect(computeSuv(PET)).toMatchObject({
      formula: 'SUVbw = value × weight × 1000 ÷ (dose × 2^(−t ÷ half-life)), t = 6000 s',
      inputs: [
        { tag: '(0054,1001)', keyword: 'Units', value: 'BQML' },
        { tag: '(0054,1102)', keyword: 'DecayCorrection', value: 'START' },
        { tag: '(0010,1030)', keyword: 'PatientWeight', value: '70' },
        { tag: '(0018,1074)', keyword: 'RadionuclideTotalDose', value: '350000000' },
        { tag: '(0018,1075)', keyword: 'RadionuclideHalfLife', value: '6000' },
        { tag: '(0018,1072)', keyword: 'RadiopharmaceuticalStartTime', value: '100000' },
        { tag: '(0008,0021)', keyword: 'SeriesDate', value: '20240131' },
        { tag: '(0008,0031)', keyword: 'SeriesTime', value: '114000' },
      ],
    });
  });
});

describe('SUVbw is refused by naming', () => {
  test.each<[PetAttributes, string]>([
    [{ Units: undefined }, '(0054,1001) Units is missing'],
    [{ Units: 'PROPCPS' }, '(0054,1001) Units is PROPCPS: the values are not an activity concentration'],
    [{ Units: 'GML', SUVType: 'LBM' }, '(0054,1006) SUVType is LBM: the values are not by body weight'],
    [
      { Units: 'CNTS' },
      '(7053,1000) PhilipsSUVScaleFactor is missing, so counts cannot be converted to an activity concentration',
    ],
    [{ PatientWeight: undefined }, '(0010,1030) PatientWeight is missing'],
    [{ PatientWeight: 0 }, '(0010,1030) PatientWeight is 0'],
    [{ RadionuclideTotalDose: undefined }, '(0018,1074) RadionuclideTotalDose is missing'],
    [{ RadionuclideHalfLife: undefined }, '(0018,1075) RadionuclideHalfLife is missing'],
    [{ DecayCorrection: undefined }, '(0054,1102) DecayCorrection is missing'],
    [{ DecayCorrection: 'NONE' }, '(0054,1102) DecayCorrection is NONE: the values are not corrected to a known time'],
    [{ CorrectedImage: ['DECY'] }, '(0028,0051) CorrectedImage has no ATTN: no correction for attenuation'],
    [{ CorrectedImage: ['ATTN'] }, '(0028,0051) CorrectedImage has no DECY: no correction for decay'],
    [{ RadiopharmaceuticalStartTime: undefined }, '(0018,1072) RadiopharmaceuticalStartTime is missing'],
    [{ RadiopharmaceuticalStartTime: 'x' }, '(0018,1072) RadiopharmaceuticalStartTime is x, which is not a time'],
    [
      { RadiopharmaceuticalStartDateTime: '20240131120000' },
      '(0018,1078) RadiopharmaceuticalStartDateTime is after the start of the scan',
    ],
    [{ SeriesTime: undefined }, '(0008,0031) SeriesTime is missing'],
    [
      { SeriesTime: '180000' },
      '(0008,0031) SeriesTime is after Acquisition Time, and no other attribute gives the start of the scan',
    ],
  ])('%j', (different, expected) => {
    expect(problemsOf(different)).toEqual([expected]);
  });

  test('everything that is missing at once', () => {
    expect(problemsOf({ PatientWeight: undefined, DecayCorrection: undefined })).toEqual([
      '(0010,1030) PatientWeight is missing',
      '(0054,1102) DecayCorrection is missing',
    ]);
  });
});

describe('times that cannot be', () => {
  test('an injection after the scan by its clock is 23 hours before it, and that is over ten half-lives', () => {
    // From 12:40 to 11:40 the next day: 82,800 s, and ten half-lives are 60,000 s.
    expect(problemsOf({ RadiopharmaceuticalStartTime: '124000' })).toEqual([
      '(0018,1072) RadiopharmaceuticalStartTime is 82800 s before the start of the scan, over ten half-lives',
    ]);
  });

  test('an injection days before the scan', () => {
    // 20 hours and 6,000 s.
    expect(problemsOf({ RadiopharmaceuticalStartDateTime: '20240130140000' })).toEqual([
      '(0018,1078) RadiopharmaceuticalStartDateTime is 78000 s before the start of the scan, over ten half-lives',
    ]);
  });

  test('offsets from UTC are read: of the injection by itself, and of the other times by their file', () => {
    // 09:00 in UTC is 10:00 in the hour of the scan, an hour ahead: one half-life before 11:40.
    const injected = { RadiopharmaceuticalStartDateTime: '20240131090000+0000', TimezoneOffsetFromUTC: '+0100' };
    expect(factorOf(injected)).toBeCloseTo(0.0004, 12);
    // Without an offset of the file, both are by the clock of the scanner: 70 x 1000 / (350e6 x 2^-(9600 / 6000)).
    expect(factorOf({ ...injected, TimezoneOffsetFromUTC: undefined })).toBeCloseTo(0.0002 * 2 ** 1.6, 12);
    // Without one of its own, the injection has that of the file.
    expect(factorOf({ ...injected, RadiopharmaceuticalStartDateTime: '20240131100000' })).toBeCloseTo(0.0004, 12);
  });
});
