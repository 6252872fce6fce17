/** Attributes other than Rescale Type that determine the unit of the values. */
export type UnitContext = {
  /** Modality (0008,0060). */
  readonly modality?: string | undefined;
  /** Units (0054,1001) of a PET image. */
  readonly petUnits?: string | undefined;
};

/**
 * The unit of modality values; empty if there is none or it is unknown. Rescale Type US means unspecified, and
 * some writers say in words that there is none. Without a type, the values of a CT are Hounsfield units (PS3.3 C.8.2.1), and those of a PET image are in its Units (C.8.9.1).
 */
export function toModalityUnit(rescaleType: string | null, { modality, petUnits }: UnitContext): string {
  const isUnitless = rescaleType === 'US' || /\bunitless\b/i.test(rescaleType ?? '');
  const declared = isUnitless ? '' : (rescaleType ?? '');
  if (modality === 'PT') return PET_UNITS[declared || (petUnits ?? '')] ?? declared;
  return declared === '' && !isUnitless && modality === 'CT' ? 'HU' : declared;
}

/** What an RT Dose, or a histogram in it, declares about its values. */
export type DoseTerms = {
  /** Dose Units (3004,0002). */
  readonly doseUnits: string | undefined;
  /** Dose Type (3004,0004). */
  readonly doseType: string | undefined;
};

/**
 * The unit of scaled values of a dose; empty if it is unknown. Gray of an effective dose are weighted by biological effect, and those
 * of an error are a difference, so neither is called plain Gray. Other terms than the defined ones stay as written.
 */
export function toDoseUnit({ doseUnits = '', doseType = '' }: DoseTerms): string {
  const unit = DOSE_UNITS[doseUnits] ?? doseUnits;
  const notPlain = unit === '' ? undefined : NOT_PLAIN[doseType];
  return notPlain === undefined ? unit : `${unit} (${notPlain})`;
}

const DOSE_UNITS: Readonly<Record<string, string>> = { GY: 'Gy', RELATIVE: 'relative' };
const NOT_PLAIN: Readonly<Record<string, string>> = { EFFECTIVE: 'effective', ERROR: 'error' };

/** Defined terms of Units (0054,1001), PS3.3 C.8.9.1.1.3. */
const PET_UNITS: Readonly<Record<string, string>> = {
  CNTS: 'counts',
  NONE: '',
  CM2: 'cm²',
  CM2ML: 'cm²/ml',
  PCNT: '%',
  CPS: 'counts/s',
  BQML: 'Bq/ml',
  MGMINML: 'mg/min/ml',
  UMOLMINML: 'µmol/min/ml',
  MLMING: 'ml/min/g',
  MLG: 'ml/g',
  '1CM': '1/cm',
  UMOLML: 'µmol/ml',
  PROPCNTS: 'proportional to counts',
  PROPCPS: 'proportional to counts/s',
  MLMINML: 'ml/min/ml',
  MLML: 'ml/ml',
  GML: 'g/ml',
  STDDEV: 'standard deviations',
};
