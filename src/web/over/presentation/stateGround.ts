import type { GraphicsPacket } from '../../../shared/contract/graphics.ts';
import { dot, type ImagePlane, normalOf, patientToPixel, planeToPlane } from '../../../shared/geometry.ts';
import { planeInRun } from '../../../shared/stackPlanes.ts';
import { imagePlaneOf } from '../../show/pictures/findPositionAt.ts';
import type { PictureSource } from '../../show/pictures/pictureSource.ts';
import { frameOnScreen, reportOf } from '../../show/pictures/viewports.ts';
import { findFile, stackOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import type { KnownPresentation } from '../../kit/state/presentations.ts';
import type { StackFrame } from '../../kit/state/stacks.ts';
import { movePacket, packetOfState, packetOnSlide } from './statePacket.ts';

/** What the graphics of a presentation state are over the picture of a cell, or why they are not drawn. */
export type StateGround =
  | {
      /** The same while the graphics are the same. */
      readonly key: string;
      readonly build: () => GraphicsPacket;
    }
  | { readonly reason: string };

/** Undefined if nothing is on the screen. */
export function findStateGround(page: Page, cell: number, known: KnownPresentation): StateGround | undefined {
  const { shown, screen, tiles } = reportOf(page, cell);
  if (shown === undefined || screen === undefined) return undefined;
  const stored = frameOnScreen(page, cell);
  if (stored !== undefined) {
    const place = { fileIndex: stored.file.index, frame: stored.frame.frame };
    if (!known.names(place.fileIndex, place.frame)) return { reason: 'not for this image' };
    const size = { width: stored.file.columns, height: stored.file.rows };
    return { key: `${place.fileIndex} ${place.frame}`, build: () => packetOfState(known, place, size) };
  }
  if (tiles !== undefined) {
    if (!known.images.some(({ file_index }) => tiles.fileIndices.includes(file_index))) {
      return { reason: 'not for this slide' };
    }
    // The places of tiles become known one level after the other.
    const places = tiles.levels.map(({ index }) => (index === undefined ? 0 : 1)).join('');
    return {
      key: `slide ${tiles.fileIndices[0]} ${places} ${JSON.stringify(tiles.choice)}`,
      build: () => packetOnSlide(known, tiles, screen.image),
    };
  }
  return findInPlane(page, known, shown.source, shown.position);
}

/** Planes within this distance are the same; coordinates of files are rounded. */
const SAME_MM = 0.01;
const SAME_DIRECTION = 1e-6;

function findInPlane(page: Page, known: KnownPresentation, source: PictureSource, position: number): StateGround {
  const file = source.headerOf?.(position)?.file;
  const plane = imagePlaneOf(source, position);
  const size = source.sizeOf(position);
  if (file === undefined || plane === undefined || size === undefined) return { reason: 'not for this picture' };
  if (source.reservation !== undefined) return { reason: 'not drawn on slabs, only on stored images' };
  const frame = findStoredAt(source, position, { frames: stackOf(page, file).frames, plane });
  const image = findFile(page, frame?.at.fileIndex);
  if (frame === undefined || image === undefined) return { reason: 'not drawn here, where no stored image lies' };
  const { fileIndex, frame: index } = frame.at;
  if (!known.names(fileIndex, index)) return { reason: 'not for this image' };
  return {
    key: `${source.id} ${position}`,
    build: () => {
      const [a, b, c, d, e, f] = planeToPlane(frame.plane, plane);
      const own = packetOfState(known, { fileIndex, frame: index }, { width: image.columns, height: image.rows });
      return movePacket(own, (x, y) => [d * y + e * x + f, a * y + b * x + c], size);
    },
  };
}

type Stored = { readonly at: StackFrame; readonly plane: ImagePlane };
type Time = { readonly index: number; readonly count: number };

type Sought = { readonly frames: readonly StackFrame[]; readonly plane: ImagePlane };

/** Of the position that was asked for last: it is asked for with every drawing. */
const lastFound = new WeakMap<
  PictureSource,
  Sought & { readonly position: number; readonly found: Stored | undefined }
>();

function findStoredAt(source: PictureSource, position: number, { frames, plane }: Sought): Stored | undefined {
  const last = lastFound.get(source);
  if (last?.position === position && last.frames === frames) return last.found;
  const found = findStored(frames, plane, source.patientPlaneOf?.(position)?.time);
  lastFound.set(source, { position, frames, plane, found });
  return found;
}

/** The stored frame that lies in a plane: of several times in one place, that of the time on the screen. */
function findStored(frames: readonly StackFrame[], plane: ImagePlane, time: Time | undefined): Stored | undefined {
  const normal = normalOf(plane);
  const found = frames.flatMap((at, index): Stored[] => {
    const own = at.plane && planeInRun(at.plane, index, (other) => frames[other]?.positionMm);
    if (own === undefined || 1 - Math.abs(dot(normalOf(own), normal)) > SAME_DIRECTION) return [];
    return Math.abs(patientToPixel(plane, own.position).distanceMm) <= SAME_MM ? [{ at, plane: own }] : [];
  });
  if (time === undefined || time.count === 1) return found[0];
  return found.length === time.count ? found[time.index] : undefined;
}
