import { MARK_KINDS, type MarkKind } from '../../src/shared/contract/marks.ts';
import type { ModalityMapping, RealWorldValues } from '../../src/shared/contract/valueMapping.ts';
import { type DeclaredValues, listCaveats, listFrameReadings } from '../../src/shared/listFrameReadings.ts';
import { measureShape } from '../../src/shared/markMeasures.ts';
import { hasValuesInside, isMask, traitsOf } from '../../src/shared/markTraits.ts';
import { type Scale, SCALE_SOURCES, SCALE_TERMS } from '../../src/shared/pixelScale.ts';
import { listDoseWarnings } from '../../src/server/over/layers/field/doseFacts.ts';
import { toDoseUnit } from '../../src/shared/modalityUnit.ts';

type Table = readonly (readonly string[])[];

/** The tables of docs/measuring.md, by the names of the comments around them: what the code says, the headings first. */
export function measuringTables(): Readonly<Record<'sizes' | 'kinds' | 'values', Table>> {
  return {
    sizes: [
      ['Source of the pixel size', 'Unit shown', 'Caveat', '`spacing_source`'],
      ...[...SCALE_SOURCES, 'none' as const].map((source) => {
        const { declaredBy, note, caveat } = SCALE_TERMS[source];
        const unit = source === 'none' ? 'px' : 'mm';
        return [declaredBy, note === '' ? unit : `${unit} ${note}`, caveat, source === 'none' ? '' : `\`${source}\``];
      }),
    ],
    kinds: [
      ['Kind', 'Sizes, with a pixel size', 'Sizes, without one', 'Through a stack or in a volume', 'Values inside'],
      ...MARK_KINDS.map((kind) => {
        const { title, shape, places } = traitsOf(kind);
        const hasVolume = places.includes('stack') || places.includes('volume');
        return [
          title,
          describe(kind, 'mm'),
          describe(kind, 'px'),
          hasVolume ? 'volume in ml' : '',
          hasValuesInside(kind) ? (shape === 'point' ? 'of its pixel' : 'yes') : '',
        ];
      }),
    ],
    values: [
      ['Object', 'What is read', 'Unit', 'Caveat'],
      ...VALUED.map(({ object, modality = '', rescale = RESCALE, mappings = [], pet = null }) => {
        const mapping = { modality: rescale, real_world: [...mappings], pet };
        const readings = listFrameReadings({ mapping, modality });
        const { title, reading } = readings[0]!;
        return [object, title, reading.unit, listCaveats(readings, mapping).join('; ')];
      }),
      ...DOSES.map(([object, dose]) => {
        const isScaled = dose.doseGridScaling !== undefined;
        const mapping = { modality: AS_STORED, real_world: isScaled ? [toMapping(dose)] : [], pet: null };
        const { title, reading } = listFrameReadings({ mapping, modality: 'RTDOSE' })[0]!;
        const caveats = listDoseWarnings(dose).map(({ message }) => message);
        return [object, title, reading.unit, caveats.join('; ')];
      }),
    ],
  };
}

type Valued = {
  readonly object: string;
  readonly modality?: string;
  readonly rescale?: ModalityMapping;
  readonly mappings?: readonly RealWorldValues[];
  readonly pet?: DeclaredValues['pet'];
};

const RESCALE = { rescale_slope: 2, rescale_intercept: -1000, rescale_type: null, lut: null };
const AS_STORED = { ...RESCALE, rescale_slope: 1, rescale_intercept: 0 };
const NO_SUV = { missing: [] };
const SUV = { factor: 0.001, formula: '', inputs: [] };

function mapTo(value: string, different: Partial<RealWorldValues> = {}): RealWorldValues {
  return {
    source: 'rwvm_instance',
    source_file_index: 1,
    label: 'its label',
    first_value_mapped: null,
    last_value_mapped: null,
    transform: { kind: 'linear', slope: 0.01, intercept: 0 },
    unit_label: value,
    units: { value, scheme: 'UCUM', meaning: value },
    quantity: null,
    in_stack: 'same',
    ...different,
  };
}

type Dose = Parameters<typeof listDoseWarnings>[0];

function toMapping(dose: Dose): RealWorldValues {
  return mapTo('', { source: 'dose_grid_scaling', label: null, units: null, unit_label: toDoseUnit(dose) });
}

const PLAIN: Dose = { doseUnits: 'GY', doseType: 'PHYSICAL', doseGridScaling: 0.01 };
const DOSES: readonly (readonly [object: string, dose: Dose])[] = [
  ['RT Dose with Dose Units GY', PLAIN],
  ['RT Dose with Dose Units GY and Dose Type EFFECTIVE', { ...PLAIN, doseType: 'EFFECTIVE' }],
  ['RT Dose with Dose Units GY and Dose Type ERROR', { ...PLAIN, doseType: 'ERROR' }],
  ['RT Dose with Dose Units RELATIVE', { ...PLAIN, doseUnits: 'RELATIVE' }],
  ['RT Dose without Dose Units', { ...PLAIN, doseUnits: undefined }],
  ['RT Dose without Dose Grid Scaling', { ...PLAIN, doseGridScaling: undefined }],
];

/** What the values of each kind of object can be. */
const VALUED: readonly Valued[] = [
  { object: 'CT, without Rescale Type or with HU', modality: 'CT' },
  { object: 'Any image with Rescale Type `mGy`, as an example', rescale: { ...RESCALE, rescale_type: 'mGy' } },
  { object: 'Any image with a rescale and Rescale Type US (unspecified)', rescale: { ...RESCALE, rescale_type: 'US' } },
  { object: 'MR, X-ray, nuclear medicine with a rescale and without Rescale Type', modality: 'MR' },
  { object: 'Any image without a rescale', modality: 'MR', rescale: AS_STORED },
  {
    object: 'PET in Bq/ml whose header has dose, weight and times',
    modality: 'PT',
    pet: { units: 'BQML', suv: SUV },
  },
  {
    object: 'PET in Bq/ml without one of them, or with impossible times',
    modality: 'PT',
    pet: { units: 'BQML', suv: NO_SUV },
  },
  { object: 'PET with Units CNTS', modality: 'PT', pet: { units: 'CNTS', suv: NO_SUV } },
  {
    object: 'A mapping of the file or of another object, to `mm2/s` as an example',
    modality: 'MR',
    mappings: [mapTo('mm2/s', { label: 'ADC' })],
  },
  {
    object: 'PET with a mapping, while the rescale differs from slice to slice',
    modality: 'PT',
    mappings: [mapTo('g/ml', { label: 'SUVlbm', in_stack: 'ignores_rescale' })],
    pet: { units: 'BQML', suv: SUV },
  },
  {
    object: 'PET with a mapping to the unit that its header gives other values in',
    modality: 'PT',
    mappings: [mapTo('g/ml', { label: 'SUVbw' })],
    pet: { units: 'BQML', suv: SUV },
  },
];

const CORNERS = [
  { x: 0, y: 0 },
  { x: 4, y: 0 },
  { x: 4, y: 3 },
  { x: 0, y: 3 },
];

function describe(kind: MarkKind, unit: Scale['unit']): string {
  const scale: Scale = { spacing: [1, 1], unit, source: undefined, aspect: 1 };
  const points = CORNERS.slice(0, Math.min(traitsOf(kind).points[1], CORNERS.length));
  if (isMask(kind)) return `area of its pixels in ${unit}²`;
  return measureShape(kind, points, scale)
    .map(({ name, unit: own }) => `${name.replace('_', ' ')} in ${own}`)
    .join(', ');
}

/** The cells of a table of Markdown, without the line below its headings. */
export function parseTable(text: string): Table {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines
    .filter((_, n) => n !== 1)
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** Where a table is in the page, between its two comments. */
export function placeOfTable(name: string): RegExp {
  return new RegExp(`(?<=<!-- ${name} -->\n)[^]*(?=<!-- /${name} -->)`);
}
