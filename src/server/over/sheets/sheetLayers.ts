import { ViewerError } from '../../../shared/contract/errors.ts';
import { LAYER_OBJECTS } from '../../../shared/contract/layers.ts';
import { type LayerRef, numberOfLayer } from '../../../shared/layerRef.ts';
import { separateColors } from '../../../shared/separateColors.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { KeyFrame } from '../../images/series/keyFrames.ts';
import { mapInLanes } from '../../machine/workers/mapInLanes.ts';
import { isPassingFailure } from '../../machine/workers/passingFailure.ts';
import type { LayerOptions, WrittenPacket } from '../layers/layerProvider.ts';
import type { DescribedLayer, Layers } from '../layers/layers.ts';
import { isPlaced } from '../layers/placement.ts';
import type { PartNumbers, TileErrors, TileLayer } from './sheetTasks.ts';
import { isDrawnOnSheets } from './tilePainters.ts';

/** A layer that is drawn on a sheet. */
export type SheetLayer = Pick<TileLayer, 'kind' | 'parts'> & {
  readonly layer: LayerRef;
  /** Whether it has something on a frame. */
  readonly touches: (frame: KeyFrame) => boolean;
  /** The same while it lies there in the same way. */
  readonly key: string;
};

/** Two layers of which a sheet draws where they agree and where they do not. */
export type SheetErrors = {
  /** Undefined on a picture where it has nothing. */
  readonly truth: SheetLayer | undefined;
  readonly test: SheetLayer | undefined;
  readonly pairs: readonly PartNumbers[];
};

/** What lies over the pictures of a stack. */
export type SheetOver = {
  readonly layers: readonly SheetLayer[];
  readonly errors?: SheetErrors | undefined;
};

/** More are not drawn. */
const MOST_LAYERS = 32;

/** The masks and contours over the stack of a frame. `leftOut` gets those that are not drawn, by number, with a code. */
export async function findSheetLayers(
  layers: Pick<Layers, 'list'>,
  target: { readonly file: DicomFile; readonly frame: number },
  leftOut: string[],
  options: LayerOptions,
): Promise<readonly SheetLayer[]> {
  const listed = await layers.list(target, { ...options, withoutFields: true });
  const found: SheetLayer[] = [];
  for (const one of listed) {
    if (one.frameCount === 0 || !isPlaced(one.placement) || !isDrawnOnSheets(kindOfLayer(one))) continue;
    if (found.length === MOST_LAYERS) leftOut.push(`layer ${numberOfLayer(one.layer)}: too_many_layers`);
    else found.push(await toSheetLayer(one));
  }
  return found;
}

/** With the colors of the page: parts of one color get different ones. */
export async function toSheetLayer(described: DescribedLayer): Promise<SheetLayer> {
  const { layer, file, description } = described;
  const parts = description.parts.map((part) => ({
    number: part.number,
    color: part.color,
    isDrawn: part.extent?.problem === undefined,
    isBackground: part.sort === 'segment' && part.isBackground === true,
  }));
  const frames = new Map(description.targets.map((one) => [one.file.index, new Set(one.frames)]));
  const { placement } = description;
  return {
    kind: kindOfLayer(described),
    layer,
    parts: separateColors(parts, ({ isDrawn }) => isDrawn).flatMap(({ number, color, isBackground }) =>
      isBackground ? [] : [{ number, color }],
    ),
    touches: ({ fileIndex, frame }) => frames.get(fileIndex)?.has(frame) === true,
    key: [
      numberOfLayer(layer),
      file === undefined ? '' : await stateOf(file.source),
      placement.status,
      placement.reason,
      frames.size,
    ].join(' '),
  };
}

export function kindOfLayer({ name, description }: DescribedLayer): TileLayer['kind'] {
  return description.kind ?? LAYER_OBJECTS[name].kind;
}

/** What two layers have over a picture; undefined if one of them cannot be placed there, so that it would seem to have nothing. */
export async function packTileErrors(
  { truth, test, pairs }: SheetErrors,
  pack: (layer: SheetLayer) => Promise<(TileLayer & { readonly isDamaged: boolean }) | undefined>,
): Promise<(TileErrors & { readonly isDamaged: boolean }) | undefined> {
  const [a, b] = await mapInLanes([truth, test], async (side) => side && pack(side));
  if ((truth !== undefined && a === undefined) || (test !== undefined && b === undefined)) return undefined;
  return { truth: a, test: b, pairs, isDamaged: a?.isDamaged === true || b?.isDamaged === true };
}

/** What a layer has over a picture; undefined, with a line in `leftOut`, if it cannot be placed there. */
export async function packTileLayer(
  { kind, parts, layer }: SheetLayer,
  pack: (layer: LayerRef) => Promise<WrittenPacket>,
  leftOut: string[],
): Promise<(TileLayer & { readonly isDamaged: boolean }) | undefined> {
  try {
    const { bytes, damage } = await pack(layer);
    return { kind, parts, packet: bytes, isDamaged: damage !== undefined };
  } catch (error) {
    if (!(error instanceof ViewerError) || isPassingFailure(error)) throw error;
    const line = `layer ${numberOfLayer(layer)}: ${error.code}`;
    if (!leftOut.includes(line)) leftOut.push(line);
    return undefined;
  }
}
