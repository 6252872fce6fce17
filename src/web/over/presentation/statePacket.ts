import type { GraphicItem, GraphicsPacket, GraphicText, GraphicUnits } from '../../../shared/contract/graphics.ts';
import { fromWireGraphic, type WireGraphic } from '../../../shared/wireGraphics.ts';
import { findArea, findPart, isListed, type KnownPresentation } from '../../kit/state/presentations.ts';
import { fromTile, type ShownLevel, type ShownTiles } from '../../kit/state/shownTiles.ts';
import type { Size } from '../../kit/state/viewState.ts';

type FramePlace = { readonly fileIndex: number; readonly frame: number };

/** The graphics and texts that a presentation state draws over one frame, the lowest layer first. */
export function packetOfState(known: KnownPresentation, place: FramePlace, { width, height }: Size): GraphicsPacket {
  const { state } = known;
  const parts = (state?.graphics ?? []).filter((part) => findPart([part], place.fileIndex, place.frame) !== undefined);
  const [left = -0.5, top = -0.5, right = width - 0.5, bottom = height - 0.5] =
    findArea(known, place.fileIndex, place.frame)?.corners ?? [];
  return {
    rows: height,
    columns: width,
    items: sortByLayer(parts.flatMap((part) => part.items.map(fromWireGraphic))),
    area: {
      corners: [left, top, right, bottom],
      rotation: state?.rotation ?? 0,
      isFlipped: state?.flip_horizontal ?? false,
    },
  };
}

/** Moves points from one grid of pixels to another. (0, 0) is the centre of the first pixel. */
export type MovePoint = (x: number, y: number) => readonly [x: number, y: number];

/** A packet over another picture of the same size or not, on which the pixels of the frame lie elsewhere. */
export function movePacket(packet: GraphicsPacket, move: MovePoint, { width, height }: Size): GraphicsPacket {
  const { area } = packet;
  const corners = area && moveCorners(area.corners, move);
  return {
    rows: height,
    columns: width,
    items: packet.items.map((item) => moveItem(item, () => move)),
    ...(area !== undefined && corners !== undefined && { area: { ...area, corners } }),
  };
}

/** Frames of one graphic in which it may be repeated. */
const MOST_TILES = 64;

/**
 * The graphics and texts that a presentation state draws over a slide, in pixels of its largest level: those on the total
 * pixel matrix of a level, and those in tiles that it names one by one. The places of tiles that are not known yet are
 * requested.
 */
export function packetOnSlide(known: KnownPresentation, tiles: ShownTiles, { width, height }: Size): GraphicsPacket {
  const { state } = known;
  const items: GraphicItem[] = [];
  for (const part of state?.graphics ?? []) {
    const image = findImage(known, part, tiles);
    const level = image && levelOf(tiles, image.file_index);
    if (image === undefined || level === undefined) continue;
    const onMatrix = moveFromLevel(level);
    const moves = isOneTile(level)
      ? [onMatrix]
      : (image.frame_indices ?? []).slice(0, MOST_TILES).flatMap((frame) => {
          const tile = tiles.place({ fileIndex: image.file_index, frame });
          return tile === undefined ? [] : [moveBetween((point) => fromTile(tile, point))];
        });
    for (const item of part.items.map(fromWireGraphic)) {
      for (const move of isInTiles(item) ? moves : [onMatrix]) {
        items.push(moveItem(item, (units) => (units === 'matrix' ? onMatrix : move)));
      }
    }
  }
  const [area] = (state?.areas ?? []).flatMap(({ applies_to, corners }) => {
    const level = tiles.levels.find(({ fileIndices }) => {
      return applies_to === null || fileIndices.some((file) => isListed(applies_to, file, 0));
    });
    return level === undefined ? [] : [moveCorners(toCorners(corners), moveFromLevel(level))];
  });
  return {
    rows: height,
    columns: width,
    items: sortByLayer(items),
    ...(area !== undefined && {
      area: { corners: area, rotation: state?.rotation ?? 0, isFlipped: state?.flip_horizontal ?? false },
    }),
  };
}

/** The number of graphics that are not drawn on a slide: they are in every tile, and so in no place. */
export function countInNoTile(known: KnownPresentation, tiles: ShownTiles): number {
  let count = 0;
  for (const part of known.state?.graphics ?? []) {
    const image = findImage(known, part, tiles);
    const level = image && levelOf(tiles, image.file_index);
    if (image?.frame_indices !== null || level === undefined || isOneTile(level)) continue;
    for (const item of part.items) if (isInTiles(item)) count += 1;
  }
  return count;
}

type StatePart = NonNullable<KnownPresentation['state']>['graphics'][number];

/** A state that names several levels means the same place on all of them. */
function findImage({ images }: KnownPresentation, { applies_to }: StatePart, { fileIndices }: ShownTiles) {
  return (applies_to ?? images).find(({ file_index }) => fileIndices.includes(file_index));
}

function levelOf({ levels }: ShownTiles, fileIndex: number): ShownLevel | undefined {
  return levels.find(({ fileIndices }) => fileIndices.includes(fileIndex));
}

function isOneTile({ tileWidth, tileHeight, width, height }: ShownLevel): boolean {
  return tileWidth >= width && tileHeight >= height;
}

function sortByLayer(items: readonly GraphicItem[]): GraphicItem[] {
  return items.toSorted((a, b) => a.part - b.part);
}

function isInTiles({ shape, units, text }: GraphicItem | WireGraphic): boolean {
  return [shape === 'text' ? undefined : units, text?.box?.units, text?.anchor?.units].includes('pixel');
}

function moveFromLevel({ scaleX, scaleY, offsetX, offsetY }: ShownLevel): MovePoint {
  return moveBetween(({ x, y }) => ({ x: x * scaleX + offsetX, y: y * scaleY + offsetY }));
}

type PicturePoint = { readonly x: number; readonly y: number };

/** From a function of points whose first pixel begins at (0, 0). */
function moveBetween(move: (point: PicturePoint) => PicturePoint): MovePoint {
  return (x, y) => {
    const moved = move({ x: x + 0.5, y: y + 0.5 });
    return [moved.x - 0.5, moved.y - 0.5];
  };
}

/** Points in `display` units stay: they are parts of the area. All others become pixels of the picture. */
function moveItem(item: GraphicItem, moveOf: (units: GraphicUnits) => MovePoint): GraphicItem {
  const { units, text } = item;
  const moved =
    units === 'display' ? item : { ...item, units: 'pixel' as const, points: moveAll(item.points, moveOf(units)) };
  return text === undefined ? moved : { ...moved, text: moveText(text, moveOf) };
}

function moveText({ box, anchor, ...text }: GraphicText, moveOf: (units: GraphicUnits) => MovePoint): GraphicText {
  return {
    ...text,
    ...(box !== undefined && {
      box:
        box.units === 'display'
          ? box
          : { ...box, units: 'pixel', corners: moveCorners(box.corners, moveOf(box.units)) },
    }),
    ...(anchor !== undefined && {
      anchor:
        anchor.units === 'display'
          ? anchor
          : { ...anchor, units: 'pixel', point: moveOf(anchor.units)(...anchor.point) },
    }),
  };
}

function moveAll(points: readonly number[], move: MovePoint): number[] {
  const moved: number[] = [];
  for (let at = 0; at + 1 < points.length; at += 2) moved.push(...move(points[at]!, points[at + 1]!));
  return moved;
}

type Corners = readonly [number, number, number, number];

function toCorners([left = 0, top = 0, right = 0, bottom = 0]: readonly number[]): Corners {
  return [left, top, right, bottom];
}

/** Left, top, right, bottom again, also if the picture is turned over. */
function moveCorners([left, top, right, bottom]: Corners, move: MovePoint): Corners {
  const [[x1, y1], [x2, y2]] = [move(left, top), move(right, bottom)];
  return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
}
