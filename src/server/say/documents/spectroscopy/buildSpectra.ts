import { DATA_REPRESENTATIONS, SIGNAL_DOMAINS } from '../../../../shared/contract/spectra.ts';
import type { DataElement, DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { readSlabs } from '../../../standard/geometry/readSlabs.ts';
import type { DocumentWarning } from '../documentKind.ts';
import type { SpectraAnswer } from './spectraTasks.ts';

const SPECTRAL_WIDTH = 0x00189052;
const CHEMICAL_SHIFT_REFERENCE = 0x00189053;
const TRANSMITTER_FREQUENCY = 0x00189098;
const RESONANT_NUCLEUS = 0x00189100;
const DATA_POINT_ROWS = 0x00289001;
const DATA_POINT_COLUMNS = 0x00289002;
const SIGNAL_DOMAIN_COLUMNS = 0x00289003;
const DATA_REPRESENTATION = 0x00289108;
const SPECTROSCOPY_DATA = 0x56000020;

const FLOAT_BYTES = 4;
/** Of one spectrum. */
const MOST_POINTS = 2 ** 20;

export type StoredSpectra = SpectraAnswer & {
  readonly element: DataElement;
  /** Values of one point: two if it is complex. */
  readonly valuesPerPoint: 1 | 2;
};

/** Why the spectra cannot be read. */
export type UnreadableSpectra = { readonly code: 'no_document' | 'malformed_content'; readonly problem: string };

/** What the spectra of an object are. Counts are checked against the bytes that exist. PS3.3 C.8.14.4. */
export function buildSpectra(dataSet: DataSet): StoredSpectra | UnreadableSpectra {
  const element = dataSet.element(SPECTROSCOPY_DATA);
  if (element === undefined || element.items !== undefined || element.length === 0) {
    return { code: 'no_document', problem: 'Spectroscopy Data is absent or empty' };
  }
  const points = (dataSet.number(DATA_POINT_ROWS) ?? 1) * (dataSet.number(DATA_POINT_COLUMNS) ?? 0);
  if (!(points >= 1 && points <= MOST_POINTS)) {
    return { code: 'malformed_content', problem: `Data Point Columns is ${points}` };
  }
  const representation = findTerm(dataSet.string(DATA_REPRESENTATION), DATA_REPRESENTATIONS);
  if (representation === undefined) {
    return { code: 'malformed_content', problem: 'Data Representation is absent or unknown' };
  }
  const domain = findTerm(dataSet.string(SIGNAL_DOMAIN_COLUMNS), SIGNAL_DOMAINS);
  if (domain === undefined) return { code: 'malformed_content', problem: 'Signal Domain Columns is absent or unknown' };
  const valuesPerPoint = representation === 'COMPLEX' ? 2 : 1;
  const existing = Math.floor(element.length / (points * valuesPerPoint * FLOAT_BYTES));
  const rows = Math.max(1, dataSet.number(Tag.Rows) ?? 1);
  const columns = Math.max(1, dataSet.number(Tag.Columns) ?? 1);
  const frames = Math.max(1, dataSet.number(Tag.NumberOfFrames) ?? 1);
  const declared = rows * columns * frames;
  const warnings: DocumentWarning[] = [];
  if (existing < declared) {
    warnings.push({
      code: 'spectra_missing',
      message: `${declared} spectra are declared, but only ${existing} are stored.`,
    });
  }
  const shared = dataSet.items(Tag.SharedFunctionalGroupsSequence)[0] ?? dataSet;
  const perFrame = dataSet.items(Tag.PerFrameFunctionalGroupsSequence)[0] ?? dataSet;
  const measures = shared.items(Tag.PixelMeasuresSequence)[0] ?? perFrame.items(Tag.PixelMeasuresSequence)[0];
  const [rowSpacing, columnSpacing] = measures?.numbers(Tag.PixelSpacing, 2) ?? [];
  return {
    element,
    valuesPerPoint,
    count: Math.min(existing, declared),
    rows,
    columns,
    frames,
    points,
    domain,
    representation,
    spectral_width_hz: above0(dataSet.number(SPECTRAL_WIDTH)),
    transmitter_mhz: above0(dataSet.number(TRANSMITTER_FREQUENCY)),
    reference_ppm: finite(dataSet.number(CHEMICAL_SHIFT_REFERENCE)),
    nucleus: dataSet.string(RESONANT_NUCLEUS) ?? null,
    pixel_spacing_mm:
      rowSpacing !== undefined && columnSpacing !== undefined && rowSpacing > 0 && columnSpacing > 0
        ? [rowSpacing, columnSpacing]
        : null,
    slice_thickness_mm: above0(measures?.number(Tag.SliceThickness)),
    slabs: readSlabs(dataSet).map(({ thicknessMm, orientation, center }) => ({
      thickness_mm: thicknessMm,
      orientation: [...orientation],
      center_mm: [...center],
    })),
    warnings,
  };
}

function findTerm<Term extends string>(text: string | undefined, terms: readonly Term[]): Term | undefined {
  return terms.find((term) => term === text);
}

/** JSON has no infinite numbers. */
function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

function above0(value: number | undefined): number | null {
  const known = finite(value);
  return known !== null && known > 0 ? known : null;
}
