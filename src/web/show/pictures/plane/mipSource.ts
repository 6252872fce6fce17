import { lazy } from 'react';
import type { PlaneRun } from '../../../../shared/contract/series.ts';
import { nameFile } from '../../../kit/state/fileNames.ts';
import { cellOf, updateCell } from '../../../kit/state/cells.ts';
import { findFile } from '../../../kit/state/library.ts';
import { loadChunk } from '../../../kit/state/loadChunk.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import { findVolume, isVolume, type StackVolume } from '../../../kit/state/volumes.ts';
import type { FrameWish } from '../frameLoader.ts';
import type { PictureSource, PictureTraits } from '../pictureSource.ts';
import { FramePicture } from '../viewport/FramePicture.tsx';
import { changeMip } from './changePlane.ts';
import { coarsen } from '../../../../shared/cutVolume.ts';
import { gridOfMip } from './mipGrid.ts';
import { describeView, MIP_STEPS, type MipSpec, turnMip } from './mipSpec.ts';
import { chooseWishes, createPartialWishes } from './partialWishes.ts';
import { formatMipId, MIP_PREFIX, parseMipId, planeInAddress } from './planeId.ts';
import { formatQuery } from './planeQuery.ts';

const TRAITS: PictureTraits = {
  scrolls: true,
  plays: true,
  turns: true,
  pans: false,
  sharesWindow: false,
  measures: true,
  cuts: false,
  prefetches: 'few',
  layers: false,
  frames: 'none',
};

/** A drag over 180 pixels is a quarter of a turn. */
const DEGREES_PER_PIXEL = 0.5;

/** The views of a volume with this id; undefined if it is another id, or the volume is not known yet. */
export function openMip(page: Page, id: string): PictureSource | undefined {
  const named = parseMipId(id);
  const volume = named && findVolume(page, named.address);
  if (named === undefined || !isVolume(volume)) return undefined;
  const known = sourcesOf(page).get(volume) ?? new Map<string, PictureSource>();
  sourcesOf(page).set(volume, known);
  const source = known.get(id) ?? createSource(page, volume, id, named.spec);
  known.set(id, source);
  const [oldest] = known.keys();
  if (known.size > MOST_KEPT && oldest !== undefined) known.delete(oldest);
  return source;
}

const controlsOf = definePart((page) =>
  lazy(async () => ({ default: (await loadChunk(page, () => import('./PlaneControls.tsx'))).MipControls })),
);

const sourcesOf = definePart(() => new WeakMap<StackVolume, Map<string, PictureSource>>());

/** A drag makes many sources, of which only the last ones are asked for again. */
const MOST_KEPT = 64;

function createSource(page: Page, volume: StackVolume, id: string, spec: MipSpec): PictureSource {
  const { address, space, toFrameValue } = volume;
  const file = () => findFile(page, address.fileIndex);
  const time = Math.min(spec.time, volume.times.length - 1);
  const stream = `${address.fileIndex}/${address.frame}/mip`;
  const viewName = `${MIP_PREFIX}${stream}`;
  const wish = (position: number, step: 1 | 2, partial?: number): FrameWish => {
    const { grid, slabMm, sheetMm } = gridOfMip(volume, spec, position);
    const samples = step === 1 ? grid : coarsen(grid);
    // While it turns, samples are not interpolated: most of them are not the largest one anyway.
    const sampling = { slabMm, sheetMm: step * sheetMm, projection: 'max', time, isNearest: step > 1 } as const;
    const query = formatQuery(samples, sampling);
    return { ...address, form: { kind: 'plane', query, step, partial, toFrameValue, stream } };
  };
  const findPartial = createPartialWishes(page, volume, time, (position, partial) => wish(position, 2, partial));
  const caption = ['MIP', volume.times[time]];
  return {
    id,
    viewName,
    positions: MIP_STEPS,
    axes: [],
    traits: TRAITS,
    warnings: volume.warnings,
    caption: caption.filter((part) => part !== undefined && part !== '').join(' · '),
    reservation: 'projected',
    volume,
    unit: volume.unit,
    isRealWorld: volume.isRealWorld,
    Controls: controlsOf(page),
    timed:
      volume.times.length > 1
        ? { volume, time, setTime: (cell, next) => changeMip(page, cell, { time: next }) }
        : undefined,
    stack: undefined,
    Component: FramePicture,
    label() {
      const { modality = '', series_description = '' } = file() ?? {};
      return ['Rotating MIP', modality, series_description].filter((part) => part !== '').join(' ');
    },
    sizeOf(position) {
      const { grid } = gridOfMip(volume, spec, position);
      return { width: grid.columns, height: grid.rows, aspect: 1 };
    },
    nameOf: (position) => describeView(spec, position, space === 'patient'),
    planeOf(position): PlaneRun {
      const { grid } = gridOfMip(volume, spec, position);
      return {
        first: position,
        count: 1,
        space,
        orientation: [...grid.rowDirection, ...grid.columnDirection],
        origins_mm: [...grid.position],
        origin_step: null,
        pixel_spacing_mm: [grid.rowSpacingMm, grid.columnSpacingMm],
        pixel_spacing_source: 'pixel_spacing',
      };
    },
    fileOf: () => undefined,
    headerOf() {
      const header = file();
      return header && { file: header, frame: address.frame };
    },
    positionOf: () => undefined,
    samplesOf: (position) => wish(position, 1),
    beginSpin(cell) {
      const before = { ...spec };
      return ({ x, y }) => {
        // What is in front follows the pointer, so the viewer goes the other way.
        const next = turnMip(before, { left: -x * DEGREES_PER_PIXEL, up: y * DEGREES_PER_PIXEL });
        const pictureId = formatMipId(address, {
          ...next,
          time: parseMipId(cellOf(page, cell).pictureId)?.spec.time ?? 0,
        });
        if (pictureId !== cellOf(page, cell).pictureId) updateCell(page, cell, { pictureId });
      };
    },
    continues: (other) => parseMipId(other.id) !== undefined && other.viewName === viewName,
    addressOf(position) {
      const named = file();
      if (named === undefined) return undefined;
      return { instance: nameFile(page, named), frameNumber: position + 1, plane: planeInAddress(id, address) };
    },
    wishes(position, { isPassing, loader }) {
      if (position < 0 || position >= MIP_STEPS) return [];
      const [whole, coarse] = [wish(position, 1), wish(position, 2)];
      return chooseWishes({ whole, coarse, partial: findPartial(position, loader) }, { isPassing, loader });
    },
  };
}
