import type { DvhResponse, WirePartDvh } from '../../../shared/contract/dvh.ts';
import { toDoseUnit } from '../../../shared/modalityUnit.ts';
import { type CsvCell, formatCsvRows } from '../../kit/ui/formatCsv.ts';

type DvhRow = { readonly name: string; readonly dvh: WirePartDvh };

/** What the dose values of a table are in. */
export type DoseUnit = {
  readonly label: string;
  /** Gray of one unit. */
  readonly gy: number;
};

/** Gray as the page names them: those of an effective dose are not plain ones. */
export function grayOfDose(dose: DvhResponse['dose'] | undefined): DoseUnit {
  return { label: toDoseUnit({ doseUnits: dose?.units ?? 'GY', doseType: dose?.type ?? undefined }), gy: 1 };
}

type Column = {
  readonly title: string;
  /** In the header of a CSV file, without the unit. */
  readonly csv: string;
  readonly tooltip: string;
  readonly of: (dvh: WirePartDvh) => number | null;
};

/** The columns with doses, in their order. */
export const DOSE_COLUMNS: readonly Column[] = [
  { title: 'Min', csv: 'minimum', tooltip: 'Least dose', of: ({ minimum }) => minimum },
  { title: 'Mean', csv: 'mean', tooltip: 'Mean dose', of: ({ mean }) => mean },
  { title: 'Max', csv: 'maximum', tooltip: 'Highest dose', of: ({ maximum }) => maximum },
  { title: 'D98', csv: 'd98', tooltip: '98 % of the volume get at least this dose', of: ({ d }) => d.d98 },
  { title: 'D95', csv: 'd95', tooltip: '95 % of the volume get at least this dose', of: ({ d }) => d.d95 },
  { title: 'D50', csv: 'd50', tooltip: '50 % of the volume get at least this dose', of: ({ d }) => d.d50 },
  { title: 'D2', csv: 'd2', tooltip: '2 % of the volume get at least this dose', of: ({ d }) => d.d2 },
  { title: 'D2cc', csv: 'd2cc', tooltip: 'The hottest 2 cm³ get at least this dose', of: ({ d }) => d.d2cc },
  { title: 'D0.1cc', csv: 'd0.1cc', tooltip: 'The hottest 0.1 cm³ get at least this dose', of: ({ d }) => d.d01cc },
];

/** Share of the volume where no dose is known, from 0 to 1. */
function outsideShare({ inside_dose_grid }: WirePartDvh): number | null {
  return inside_dose_grid === null ? null : 1 - inside_dose_grid;
}

export function formatDose(gy: number | null, unit: DoseUnit): string {
  return gy === null ? '' : (gy / unit.gy).toFixed(unit.gy === 1 ? 2 : 1);
}

export function formatCm3(cm3: number | null): string {
  if (cm3 === null) return '';
  return cm3 >= 100 ? cm3.toFixed(1) : cm3 >= 1 ? cm3.toFixed(2) : cm3.toFixed(3);
}

export function formatOutside(dvh: WirePartDvh): string {
  const share = outsideShare(dvh);
  return share === null ? '' : share < 0.0005 ? '0' : (100 * share).toFixed(1);
}

/** One row for each part, with the numbers as they were computed. */
export function formatTable(rows: readonly DvhRow[], gray: DoseUnit): string {
  const doses = DOSE_COLUMNS.map(({ csv }) => `${csv}_${nameUnit(gray)}`);
  const header = ['name', 'number', 'volume_cm3', ...doses, 'outside_dose_grid'];
  return formatCsvRows([
    header,
    ...rows.map(({ name, dvh }): CsvCell[] => [
      name,
      dvh.part,
      dvh.volume_cm3 ?? undefined,
      ...DOSE_COLUMNS.map(({ of }) => of(dvh) ?? undefined),
      outsideShare(dvh) ?? undefined,
    ]),
  ]);
}

/** One row for each dose, one column for each part: the volume with at least the dose. Stored curves have own doses. */
export function formatCurves(rows: readonly DvhRow[], gray: DoseUnit): string {
  const computed = rows.filter(({ dvh }) => dvh.edges.length > 0);
  const edges = computed[0]?.dvh.edges ?? [];
  const table: CsvCell[][] = [
    [`dose_${nameUnit(gray)}`, ...computed.map(({ name }) => `${name} cm3`)],
    ...edges.map((edge, at): CsvCell[] => [edge, ...computed.map(({ dvh }) => dvh.cumulative_cm3[at])]),
  ];
  return formatCsvRows(table);
}

/** In the header of a CSV file: `gy`, `gy_effective`. */
function nameUnit({ label }: DoseUnit): string {
  return label.toLowerCase().replaceAll(/\W+/g, '_').replace(/_$/, '');
}
