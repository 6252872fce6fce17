import { spreadPlaces } from '../../../shared/keySlices.ts';
import { samplePositions } from '../../../shared/chooseStackWindow.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { FrameOptions } from '../../images/pixels/frames.ts';
import type { KeyFrame } from '../../images/series/keyFrames.ts';
import type { LayerDescription } from '../layers/layerProvider.ts';
import type { SheetLayer } from './sheetLayers.ts';
import { planFrame, type PlannedTile, type TileContext } from './sheetTile.ts';
import { planSlide } from './slideTiles.ts';
import type { SheetWindow, StackTiles } from './stackTiles.ts';

type OverSource = {
  /** What the object puts over its images. */
  readonly description: LayerDescription;
  readonly own: SheetLayer;
  readonly wanted: number;
  readonly window: SheetWindow;
  readonly width: number;
};

/** The images that an object lies over, such as those of a segmentation; none if no such image is open. */
export async function planOverSource(
  context: TileContext,
  stackTiles: Pick<StackTiles, 'windowOf'>,
  { description, own, wanted, window, width }: OverSource,
  options: FrameOptions,
): Promise<PlannedTile[]> {
  const [target] = description.targets;
  const [firstFrame] = target?.frames ?? [];
  if (target === undefined || firstFrame === undefined) return [];
  const { file } = target;
  if (file.objectKind === 'whole_slide_microscopy') {
    const { studyInstanceUid, seriesInstanceUid } = file;
    const slide = await context.series.findKeyFrames({ studyInstanceUid, seriesInstanceUid, wanted: 1 });
    return planSlide(context, slide?.stacks ?? [], { width, over: [own] });
  }
  const stack = await context.series.findStack(file.index, firstFrame);
  const isWhole = stack !== undefined && stack.kind !== 'too_many_frames';
  const all = isWhole ? listFrames(stack) : [{ fileIndex: file.index, frame: firstFrame }];
  const touched = all.filter((frame) => own.touches(frame));
  const chosen = wanted === 1 ? await findOne(context, own, touched, options) : pick(touched, wanted);
  const findWindow = stackTiles.windowOf({ sampled: pickSampled(all), length: all.length }, window);
  return chosen.flatMap(({ fileIndex, frame }) => {
    const source: DicomFile | undefined = context.catalog.files[fileIndex];
    return source === undefined ? [] : [planFrame(context, source, { frame, findWindow, over: { layers: [own] } })];
  });
}

/** The frame on which the object has most, if it is one of these; otherwise the middle. */
async function findOne(
  { layers }: TileContext,
  { layer }: SheetLayer,
  touched: readonly KeyFrame[],
  { signal }: FrameOptions,
): Promise<readonly KeyFrame[]> {
  const fullest = await layers.findFullest(layer, { signal });
  const isFullest = ({ fileIndex, frame }: KeyFrame) => fileIndex === fullest?.file.index && frame === fullest.frame;
  const found = touched.find(isFullest);
  return found === undefined ? pick(touched, 1) : [found];
}

function pick(frames: readonly KeyFrame[], wanted: number): readonly KeyFrame[] {
  return spreadPlaces(frames.length, wanted).map((place) => frames[place]!);
}

function pickSampled(frames: readonly KeyFrame[]): readonly KeyFrame[] {
  return samplePositions(frames.length).map((place) => frames[place]!);
}

function listFrames({
  length,
  fileIndices,
  frameIndices,
}: {
  readonly length: number;
  readonly fileIndices: Uint32Array;
  readonly frameIndices: Uint32Array;
}): readonly KeyFrame[] {
  return Array.from({ length }, (_, at) => ({ fileIndex: fileIndices[at]!, frame: frameIndices[at]! }));
}
