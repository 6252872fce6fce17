import { lazy } from 'react';
import type { PlaneRun } from '../../../../shared/contract/series.ts';
import { dot, normalOf, type Vector3 } from '../../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import { nameFile } from '../../../kit/state/fileNames.ts';
import { findFile } from '../../../kit/state/library.ts';
import { loadChunk } from '../../../kit/state/loadChunk.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import { findVolume, isVolume, type StackVolume } from '../../../kit/state/volumes.ts';
import type { FrameWish } from '../frameLoader.ts';
import type { PictureSource, PictureTraits } from '../pictureSource.ts';
import { FramePicture } from '../viewport/FramePicture.tsx';
import { changePlane } from './changePlane.ts';
import { coarsen, cutVolume, gridAt, straightOrientation } from '../../../../shared/cutVolume.ts';
import { findHoles } from './findHoles.ts';
import { chooseWishes, createPartialWishes } from './partialWishes.ts';
import { parsePlaneId, PLANE_PREFIX, planeInAddress } from './planeId.ts';
import { formatQuery, formatShape } from './planeQuery.ts';
import { type PlaneSpec, PROJECTION_NAMES } from './planeSpec.ts';
import { beginTurn } from './turnPlanes.ts';

const TRAITS: PictureTraits = {
  scrolls: true,
  plays: true,
  turns: false,
  pans: false,
  // All planes have the window of their volume.
  sharesWindow: false,
  measures: true,
  cuts: true,
  // A plane is sampled in the time in which a frame is read, and while the hand moves half as many samples are sent.
  prefetches: false,
  layers: true,
  frames: 'none',
};

/** The planes with this id; undefined if it is another id, or the volume is not known yet. The same object each time. */
export function openPlane(page: Page, id: string): PictureSource | undefined {
  const named = parsePlaneId(id);
  const volume = named && findVolume(page, named.address);
  return named !== undefined && isVolume(volume) ? sourceOf(page, volume, id, named.spec) : undefined;
}

const controlsOf = definePart((page) =>
  lazy(async () => ({ default: (await loadChunk(page, () => import('./PlaneControls.tsx'))).PlaneControls })),
);

/** Sources by volume and id, so that the same plane always has the same source. */
const sourcesOf = definePart(() => new WeakMap<StackVolume, Map<string, PictureSource>>());

/** Turning a plane makes many sources, of which only the last ones are asked for again. */
const MOST_KEPT = 64;

function sourceOf(page: Page, volume: StackVolume, id: string, spec: PlaneSpec): PictureSource {
  const known = sourcesOf(page).get(volume) ?? new Map<string, PictureSource>();
  sourcesOf(page).set(volume, known);
  const source = known.get(id) ?? createSource(page, volume, id, spec);
  known.set(id, source);
  const [oldest] = known.keys();
  if (known.size > MOST_KEPT && oldest !== undefined) known.delete(oldest);
  return source;
}

const NAMES = { axial: 'Axial', coronal: 'Coronal', sagittal: 'Sagittal' } as const;
/** Of the line in which a plane crosses others. */
const COLORS = { axial: '#ff7b72', coronal: '#7ee787', sagittal: '#f2cc60' } as const;

function createSource(page: Page, volume: StackVolume, id: string, spec: PlaneSpec): PictureSource {
  const { address, space, toFrameValue } = volume;
  const cut = cutVolume(volume, spec);
  const { grid, normal, offsetsMm } = cut;
  const file = () => findFile(page, address.fileIndex);
  const time = Math.min(spec.time, volume.times.length - 1);
  const plane: PlaneRun = {
    first: 0,
    count: offsetsMm.length,
    space,
    orientation: [...grid.rowDirection, ...grid.columnDirection],
    origins_mm: [...grid.position],
    origin_step: [...normal],
    pixel_spacing_mm: [grid.rowSpacingMm, grid.columnSpacingMm],
    pixel_spacing_source: 'pixel_spacing',
  };
  const stream = `${address.fileIndex}/${address.frame}/${spec.name}`;
  const wish = (samples: PlaneGrid, step: 1 | 2, partial?: number): FrameWish => ({
    ...address,
    form: { kind: 'plane', query: formatQuery(samples, { ...spec, time }), step, partial, toFrameValue, stream },
  });
  /** The address of a picture has many digits, and is asked for several times for each drawing. */
  const formatted = new Map<number, { readonly whole: FrameWish; readonly coarse: FrameWish }>();
  const wishesAt = (position: number) => {
    const samples = gridAt(cut, position);
    const known = formatted.get(position) ?? { whole: wish(samples, 1), coarse: wish(coarsen(samples), 2) };
    if (formatted.size > MOST_KEPT) formatted.clear();
    formatted.set(position, known);
    return known;
  };
  const findPartial = createPartialWishes(page, volume, time, (position, partial) =>
    wish(coarsen(gridAt(cut, position)), 2, partial),
  );
  const caption = [nameTurned(volume, spec, normal), volume.times[time]];
  return {
    id,
    viewName: `${PLANE_PREFIX}${stream}`,
    positions: offsetsMm.length,
    axes: [
      {
        name: 'place',
        unit: 'mm',
        frameOfReferenceUid: volume.spaceName,
        valueOf: (position) => offsetsMm[position],
      },
    ],
    traits: TRAITS,
    warnings: volume.warnings,
    caption: caption.filter((part) => part !== undefined && part !== '').join(' · '),
    reservation: spec.slabMm > 0 ? `${PROJECTION_NAMES[spec.projection]} ${spec.slabMm} mm` : undefined,
    volume,
    unit: volume.unit,
    isRealWorld: volume.isRealWorld,
    line: { name: NAMES[spec.name], color: COLORS[spec.name], slabMm: spec.slabMm },
    Controls: controlsOf(page),
    beginTurn: (cell) => beginTurn(page, cell, (other) => openPlane(page, other)),
    timed:
      volume.times.length > 1
        ? { volume, time, setTime: (cell, next) => changePlane(page, cell, { time: next }) }
        : undefined,
    cutOf: spec.slabMm > 0 ? undefined : { volume, time },
    setSlab: (cell, slabMm) => changePlane(page, cell, { slabMm }),
    stack: undefined,
    Component: FramePicture,
    label() {
      const { modality = '', series_description = '' } = file() ?? {};
      return [NAMES[spec.name], modality, series_description].filter((part) => part !== '').join(' ');
    },
    sizeOf: () => ({
      width: grid.columns,
      height: grid.rows,
      aspect: grid.rowSpacingMm / grid.columnSpacingMm,
    }),
    planeOf: (position) => (position < offsetsMm.length ? plane : undefined),
    fileOf: () => undefined,
    headerOf() {
      const header = file();
      return header && { file: header, frame: address.frame };
    },
    positionOf: () => undefined,
    samplesOf: (position) => wishesAt(position).whole,
    holesOf: (position) => findHoles(volume.table, gridAt(cut, position), spec.slabMm),
    patientPlaneOf(position) {
      const { spaceName: frameOfReferenceUid } = volume;
      const isThere = position >= 0 && position < offsetsMm.length;
      if (frameOfReferenceUid === undefined || !isThere) return undefined;
      const query = formatShape(gridAt(cut, position), spec.slabMm);
      return { frameOfReferenceUid, query, time: { index: time, count: volume.times.length } };
    },
    continues: (other) => parsePlaneId(other.id) !== undefined && other.viewName === `${PLANE_PREFIX}${stream}`,
    addressOf(position) {
      const named = file();
      if (named === undefined) return undefined;
      return { instance: nameFile(page, named), frameNumber: position + 1, plane: planeInAddress(id, address) };
    },
    wishes(position, { isPassing, loader }) {
      if (position < 0 || position >= offsetsMm.length) return [];
      const wishes = { ...wishesAt(position), partial: findPartial(position, loader) };
      return chooseWishes(wishes, { isPassing, loader });
    },
  };
}

/** The name of a plane, with the angle by which it was turned. */
function nameTurned(volume: StackVolume, { name, turned }: PlaneSpec, normal: Vector3): string {
  if (turned === undefined) return NAMES[name];
  const cosine = dot(normal, normalOf(straightOrientation(volume, name)));
  const degrees = (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI;
  return `${NAMES[name]}, turned ${Math.round(degrees)}°`;
}
