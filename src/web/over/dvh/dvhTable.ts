import type { DvhResponse, WirePartDvh } from '../../../shared/contract/dvh.ts';
import { nameDvhWish, parseDvhWish } from '../../../shared/dvhWishes.ts';
import { toDoseUnit } from '../../../shared/modalityUnit.ts';
import { type CsvCell, formatCsvRows } from '../../kit/ui/formatCsv.ts';
import type { VolumeUnit } from './dvhCurves.ts';

type DvhRow = { readonly name: string; readonly dvh: WirePartDvh };

/** A point of the curves that the user asked for. */
export type DvhColumn = {
  /** As the user wrote it: `V95%` is of the dose that is 100 %. */
  readonly title: string;
  /** As the server knows it. */
  readonly name: string;
  readonly of: 'dose' | 'volume';
};

/** The points of the parts, by their numbers. */
export type DvhPoints = ReadonlyMap<number, WirePartDvh['points']>;

/** What the user added to the table; undefined points are not known yet. */
export type AddedColumns = { readonly columns: readonly DvhColumn[]; readonly points: DvhPoints | undefined };

/** Reads names that are separated by commas or spaces. `referenceGy` is what 100 % of the dose are. */
export function parseColumns(
  text: string,
  referenceGy: number | undefined,
): DvhColumn[] | { readonly problem: string } {
  const columns: DvhColumn[] = [];
  for (const title of text.split(/[\s,;]+/).filter((one) => one !== '')) {
    const share = /^v(\d+(?:\.\d+)?)%$/i.exec(title)?.[1];
    if (share !== undefined && referenceGy === undefined) {
      return { problem: `${title}: no plan says which dose is 100 %` };
    }
    const inGray = share === undefined ? title : `V${Number(((Number(share) / 100) * referenceGy!).toFixed(4))}Gy`;
    const wish = parseDvhWish(inGray);
    if (wish === undefined)
      return { problem: `${title}: write D95, D2cc, V20Gy${referenceGy === undefined ? '' : ' or V95%'}` };
    const name = nameDvhWish(wish);
    columns.push({ title: share === undefined ? name : `V${Number(share)}%`, name, of: wish.of });
  }
  return columns;
}

/** A dose, or a volume in the unit of the plot. */
export function formatPoint(
  point: WirePartDvh['points'][number] | undefined,
  { of, dose, unit }: Pick<DvhColumn, 'of'> & { readonly dose: DoseUnit; readonly unit: VolumeUnit },
): string {
  if (point === undefined) return '';
  if (of === 'dose') return formatDose(point.dose, dose);
  return unit === 'cm3' ? formatCm3(point.volume_cm3) : (point.volume_percent?.toFixed(1) ?? '');
}

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
export function formatTable(rows: readonly DvhRow[], gray: DoseUnit, { columns, points }: AddedColumns): string {
  const doses = DOSE_COLUMNS.map(({ csv }) => `${csv}_${nameUnit(gray)}`);
  const added = columns.map(({ title, of }) => `${title.toLowerCase()}_${of === 'dose' ? nameUnit(gray) : 'cm3'}`);
  const header = ['name', 'number', 'volume_cm3', ...doses, ...added, 'outside_dose_grid'];
  return formatCsvRows([
    header,
    ...rows.map(({ name, dvh }): CsvCell[] => [
      name,
      dvh.part,
      dvh.volume_cm3 ?? undefined,
      ...DOSE_COLUMNS.map(({ of }) => of(dvh) ?? undefined),
      ...columns.map(({ name: wanted, of }) => {
        const point = points?.get(dvh.part)?.find((one) => one.name === wanted);
        return (of === 'dose' ? point?.dose : point?.volume_cm3) ?? undefined;
      }),
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
