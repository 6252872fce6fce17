import type { LayerRef } from '../../../shared/layerRef.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { FrameOptions, Frames, WindowQuery } from '../../images/pixels/frames.ts';
import type { Semantics } from '../../images/semantics/semantics.ts';
import type { KeyFrame } from '../../images/series/keyFrames.ts';
import type { SeriesList } from '../../images/series/seriesList.ts';
import type { Volumes } from '../../images/volumes/volumes.ts';
import type { SlideContexts } from '../../images/wsi/slideContext.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { WrittenPacket } from '../layers/layerProvider.ts';
import type { Layers } from '../layers/layers.ts';
import { fitTile, type SheetShape } from './layOutSheet.ts';
import type { SheetErrors, SheetLayer, SheetOver } from './sheetLayers.ts';
import type { MarkedPlace } from './sheetMarks.ts';
import type { PicturePiece } from './sheetTasks.ts';

/** What tiles are made of. */
export type TileContext = {
  readonly catalog: Pick<Catalog, 'files' | 'get'>;
  readonly series: Pick<SeriesList, 'findKeyFrames' | 'findStack'>;
  readonly frames: Pick<Frames, 'thumbnail' | 'percentiles'>;
  readonly volumes: Pick<Volumes, 'describe' | 'check' | 'picture'>;
  readonly slides: Pick<SlideContexts, 'readLayout'>;
  readonly layers: Pick<Layers, 'list' | 'describe' | 'findFullest' | 'packet' | 'packetOnPlane' | 'packetOnSlide'>;
  readonly semantics: Pick<Semantics, 'values'>;
  readonly tasks: TaskRunner;
};

export type TilePicture = {
  readonly pieces: readonly PicturePiece[];
  readonly isDamaged: boolean;
  /** The window that it was asked for with, if any. */
  readonly window?: WindowQuery | undefined;
};

/** One picture of a sheet, before it is made. */
export type PlannedTile = SheetShape & {
  /** File and frame, or the plane. */
  readonly name: string;
  /** Those that it is made of; of a plane, one of its volume. */
  readonly files: readonly DicomFile[];
  /** What else tells it from others of the same name. */
  readonly key?: string;
  /** `width`: that of its column. */
  readonly draw: (width: number, options: FrameOptions) => Promise<TilePicture>;
  readonly layers: readonly SheetLayer[];
  readonly errors?: SheetErrors | undefined;
  readonly pack: (layer: LayerRef, options: FrameOptions) => Promise<WrittenPacket>;
  readonly marked: MarkedPlace | undefined;
};

/** The window of the pictures of a stack, found once. */
export type FindWindow = (options: FrameOptions) => Promise<WindowQuery>;

/** A PNG that is the whole picture. */
export function wholePicture(png: Uint8Array): PicturePiece {
  return { png, left: 0, top: 0, right: 1, bottom: 1, usedWidth: 1, usedHeight: 1 };
}

/** Longer edge of a picture in a column. */
export function edgeOf(shape: SheetShape, width: number): number {
  const size = fitTile(shape, width);
  return Math.max(size.width, size.height);
}

/** A stored frame. */
export function planFrame(
  { frames, layers }: Pick<TileContext, 'frames' | 'layers'>,
  file: DicomFile,
  { frame, findWindow, over }: { readonly frame: number; readonly findWindow: FindWindow; readonly over: SheetOver },
): PlannedTile {
  const { rows, columns, pixelAspectRatio = 1 } = file;
  const shape = { rows, columns, pixelAspectRatio };
  const here: KeyFrame = { fileIndex: file.index, frame };
  return {
    ...shape,
    name: `${file.index}/${frame}`,
    files: [file],
    async draw(width, options) {
      const window = await findWindow(options);
      const picture = await frames.thumbnail(file, frame, { ...window, size: edgeOf(shape, width) }, options);
      return { pieces: [wholePicture(picture.bytes)], isDamaged: picture.damage !== undefined, window };
    },
    layers: over.layers.filter(({ touches }) => touches(here)),
    errors: over.errors && errorsOn(over.errors, here),
    pack: (layer, options) => layers.packet(layer, { file, frame }, { ...options, signal: options.signal }),
    marked: here,
  };
}

/** Without a side that has nothing on a frame. */
function errorsOn({ truth, test, pairs }: SheetErrors, frame: KeyFrame): SheetErrors | undefined {
  const on = (side: SheetLayer | undefined) => (side?.touches(frame) === true ? side : undefined);
  const here = { truth: on(truth), test: on(test), pairs };
  return here.truth === undefined && here.test === undefined ? undefined : here;
}
