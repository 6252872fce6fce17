import type { DvhResponse, WirePartDvh } from '../../../../shared/contract/dvh.ts';
import { type DvhWish, nameDvhWish, parseDvhWish } from '../../../../shared/dvhWishes.ts';
import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import type { Layers } from '../../../over/layers/layers.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { sendJsonTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

type DoseInVolumes = Awaited<ReturnType<Layers['doseHistograms']>>;
type PartDvh = DoseInVolumes['dvhs'][number];

/** The dose in volumes. */
export function dvhRoutes({ catalog, layers }: ServerContext) {
  const dvh: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const query = parseQuery(ENDPOINTS.dvh.query, c);
    const { dose, plus = [], parts, bins, points = [] } = query;
    const wishes = points.flatMap((name) => parseDvhWish(name) ?? []);
    const measured = await layers.doseHistograms(
      {
        file: catalog.get(index),
        dose: catalog.get(dose),
        plus: plus.map((one) => catalog.get(one)),
        parts,
        bins,
        wishes,
      },
      { signal: c.signal },
    );
    const asked = { file_index: index, dose_file_index: dose, plus_file_indices: plus };
    return sendJsonTexts(c, writeResponse(asked, wishes, measured));
  };
  return { dvh };
}

type Asked = Pick<DvhResponse, 'file_index' | 'dose_file_index' | 'plus_file_indices'>;

/** Part by part, because a curve has up to some thousand numbers and there may be many parts. */
function* writeResponse(asked: Asked, wishes: readonly DvhWish[], measured: DoseInVolumes): Generator<string> {
  const { dose, highestGy, dvhs } = measured;
  const steps = dvhs.flatMap((one) => one.measured?.stepMm ?? []);
  const head: Omit<DvhResponse, 'dvhs'> = {
    ...asked,
    dose: {
      units: dose.doseUnits ?? '',
      type: dose.doseType ?? null,
      summation: dose.doseSummationType ?? null,
      maximum_gy: highestGy ?? null,
    },
    grid: {
      step_mm: steps.length === 0 ? null : Math.min(...steps),
      planes: dvhs.reduce((sum, one) => sum + (one.measured?.planes ?? 0), 0),
    },
  };
  yield `${JSON.stringify(head).slice(0, -1)},"dvhs":[`;
  const edges = toNumbers(measured.edges);
  for (const [at, one] of dvhs.entries())
    yield `${at === 0 ? '' : ','}${JSON.stringify(toPart(one, { edges, wishes }))}`;
  yield ']}';
}

/** JSON has no NaN. Seven digits are more than any dose has, and make a shorter answer. */
function toWire(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : Number(value.toPrecision(7));
}

function toNumbers(values: Iterable<number>, scale = 1): number[] {
  return Array.from(values, (value) => Number((value * scale).toPrecision(7)));
}

const CM3_PER_MM3 = 1 / 1000;

type OfAll = { readonly edges: number[]; readonly wishes: readonly DvhWish[] };

function toPart({ part, label, measured, stored, warnings }: PartDvh, { edges, wishes }: OfAll): WirePartDvh {
  return {
    part,
    label: label ?? null,
    volume_cm3: toWire(measured && measured.volumeMm3 * CM3_PER_MM3),
    inside_dose_grid: toWire(measured && measured.insideMm3 / measured.volumeMm3),
    minimum: toWire(measured?.minimum),
    mean: toWire(measured?.mean),
    maximum: toWire(measured?.maximum),
    d: {
      d98: toWire(measured?.d98),
      d95: toWire(measured?.d95),
      d50: toWire(measured?.d50),
      d2: toWire(measured?.d2),
      d2cc: toWire(measured?.d2cc),
      d01cc: toWire(measured?.d01cc),
    },
    points: wishes.map((wish, at) => {
      const { gy, mm3 } = measured?.points[at] ?? {};
      return {
        name: nameDvhWish(wish),
        dose: toWire(gy),
        volume_cm3: toWire(mm3 === undefined ? undefined : mm3 * CM3_PER_MM3),
        volume_percent: toWire(mm3 === undefined ? undefined : (100 * mm3) / measured!.insideMm3),
      };
    }),
    edges: measured === undefined ? [] : edges,
    cumulative_cm3: measured === undefined ? [] : toNumbers(measured.cumulativeMm3, CM3_PER_MM3),
    step_mm: toWire(measured?.stepMm),
    planes: measured?.planes ?? 0,
    stored:
      stored === undefined
        ? null
        : {
            type: stored.type,
            volume_units: stored.volumeUnits,
            edges: toNumbers(stored.edges),
            cumulative: toNumbers(stored.cumulative),
            minimum: toWire(stored.minimum),
            mean: toWire(stored.mean),
            maximum: toWire(stored.maximum),
          },
    warnings: warnings.map(({ code, message }) => ({ code, message })),
  };
}
