import type { HangingCell, HangingRule, HungView } from './hangingRule.ts';

type CellOptions = Partial<Omit<HangingCell, 'role' | 'series'>>;

function cell(role: string, series: string, options: CellOptions = {}): HangingCell {
  return { role, series, view: 'images', window: 'file', layers: [], optional: false, ...options };
}

function planes(name: string, series: string, options: CellOptions = {}): readonly HangingCell[] {
  const views: readonly HungView[] = ['axial', 'coronal', 'sagittal'];
  return views.map((view) => cell(`${name} ${view}`, series, { largest: true, ...options, view }));
}

const TWO_BY_TWO = { rows: 2, columns: 2 };
const VOLUME = 'Images >= 20';
const CT = `Modality = 'CT' and ${VOLUME}`;
const LARGE_VOLUME = `Modality in ('CT', 'MR', 'PT') and ${VOLUME}`;
const STRUCTURES_OR_DOSE = "Modality in ('RTSTRUCT', 'RTDOSE')";
const PLANNING_IMAGES = "Modality in ('CT', 'MR') and Images > 1";
const ATTENUATION_CORRECTED = "not (SeriesDescription like '%NAC%' or SeriesDescription like '%uncorrected%')";

function mammogram(side: 'R' | 'L', view: 'CC' | 'MLO'): HangingCell {
  // The breasts lie back to back, so both chest walls are in the middle of the screen.
  const posterior = side === 'R' ? 'right' : 'left';
  const series = `Modality = 'MG' and ImageLaterality = '${side}' and ViewPosition = '${view}'`;
  return cell(`${side} ${view}`, series, { posterior, optional: true });
}

const RULE = { when: [], unless: [], links: [] } as const;

/** What negato shows of a study that no rule of the user is about. The first that fits is used. */
export const BUILT_IN_RULES: readonly HangingRule[] = [
  {
    ...RULE,
    name: 'Slides',
    when: ["Modality = 'SM'"],
    unless: [LARGE_VOLUME],
    layout: { rows: 1, columns: 2 },
    cells: [cell('slide', "Modality = 'SM'"), cell('second slide', "Modality = 'SM'", { optional: true })],
  },
  {
    ...RULE,
    name: 'Mammography',
    when: ["Modality = 'MG' and ViewPosition in ('CC', 'MLO')"],
    unless: [LARGE_VOLUME],
    layout: TWO_BY_TWO,
    cells: [mammogram('R', 'CC'), mammogram('L', 'CC'), mammogram('R', 'MLO'), mammogram('L', 'MLO')],
  },
  {
    ...RULE,
    name: 'PET/CT',
    when: ["Modality = 'PT' and Images > 1", CT],
    layout: TWO_BY_TWO,
    cells: [
      ...planes('PET over CT', CT, { layers: [`Modality = 'PT' and Images > 1 and ${ATTENUATION_CORRECTED}`] }),
      cell('PET MIP', "Modality = 'PT' and Images > 1", { view: 'mip', largest: true, prefer: ATTENUATION_CORRECTED }),
    ],
  },
  {
    ...RULE,
    name: 'Radiotherapy with a plan',
    when: [STRUCTURES_OR_DOSE, PLANNING_IMAGES, "Modality = 'RTPLAN'"],
    layout: TWO_BY_TWO,
    cells: [
      ...planes('planning images', PLANNING_IMAGES, { layers: ["Modality = 'RTDOSE'", "Modality = 'RTSTRUCT'"] }),
      cell('plan', "Modality = 'RTPLAN'"),
    ],
  },
  {
    ...RULE,
    name: 'Radiotherapy',
    when: [STRUCTURES_OR_DOSE, PLANNING_IMAGES],
    layout: TWO_BY_TWO,
    cells: [
      ...planes('planning images', PLANNING_IMAGES, { layers: ["Modality = 'RTDOSE'", "Modality = 'RTSTRUCT'"] }),
      cell('planning CT MIP', "Modality = 'CT' and Images > 1", { view: 'mip', largest: true, optional: true }),
    ],
  },
  {
    ...RULE,
    name: 'Segmentation',
    when: ["Modality = 'SEG'"],
    layout: { rows: 1, columns: 1 },
    cells: [cell('segmentation over its images', "Modality = 'SEG'")],
  },
  {
    ...RULE,
    name: 'Images in time',
    when: ['Times >= 3 and Images >= 12'],
    unless: ["Weighting in ('T2', 'FLAIR')"],
    layout: TWO_BY_TWO,
    cells: [
      ...planes('in time', 'Times >= 3 and Images >= 12'),
      cell('MIP in time', 'Times >= 3 and Images >= 12', { view: 'mip', largest: true }),
    ],
  },
  {
    ...RULE,
    name: 'MR',
    when: ["Modality = 'MR' and Weighting is not null"],
    layout: { rows: 4, columns: 3 },
    rows: { by: 'Weighting', of: ['T1', 'T1+C', 'T2', 'FLAIR', 'DWI', 'ADC', 'PD', 'SWI', 'MRA'] },
    cells: [
      cell('axial', "Modality = 'MR' and Plane = 'axial'", { optional: true, largest: true }),
      cell('coronal', "Modality = 'MR' and Plane = 'coronal'", { optional: true, largest: true }),
      cell('sagittal', "Modality = 'MR' and Plane = 'sagittal'", { optional: true, largest: true }),
    ],
    links: ['scroll'],
  },
  {
    ...RULE,
    name: 'CT',
    when: [CT],
    layout: TWO_BY_TWO,
    cells: [...planes('CT', CT), cell('CT MIP', CT, { view: 'mip', largest: true })],
  },
];
