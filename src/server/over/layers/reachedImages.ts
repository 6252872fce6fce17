import type { PositionTable } from '../../../shared/positionTable.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type ImagePlanes, type ListedPlanes, listSlidePlanes, type PlacedFrame } from './imagePlanes.ts';
import type { LayerFiles } from './layerFiles.ts';
import type { LayerOptions, LayerSpace, LayerWarning, TargetFrames } from './layerProvider.ts';
import { type LayerPlacement, planeInLayer, wayBack } from './placement.ts';
import { packPlaced } from './placedColumns.ts';
import type { Registrations } from './registrations.ts';
import { reachPlanesTask } from './registrationTasks.ts';
import { pictureSizeOf } from './slidePlaces.ts';
import { followSpaces } from './followSpaces.ts';
import { createMeeting, createPictureColumns, type PictureColumns, putPicture } from './volumeExtent.ts';

type Context = {
  readonly tasks: TaskRunner;
  readonly files: LayerFiles;
  readonly registrations: Registrations;
  readonly imagePlanes: ImagePlanes;
};

/** Slices in a frame of reference. */
export type ReachingLayer = { readonly own: string; readonly tables: readonly PositionTable[] };

export type ReachedImages = {
  /** The frames of reference in which it lies. */
  readonly spaces: readonly LayerSpace[];
  readonly targets: readonly TargetFrames[];
  /** About images that are not compared, and registrations that cannot be used. */
  readonly warnings: readonly LayerWarning[];
};

/** The images that a layer reaches in one of these frames of reference. */
export type FindReached = (
  layer: ReachingLayer,
  options: LayerOptions & {
    /** Only over registrations, because its own images are known. */
    readonly isElsewhere?: boolean;
    /** Only over these files. */
    readonly within?: ReadonlyMap<number, unknown> | undefined;
    /** Frames that it does not lie over, such as its own. */
    readonly isLeftOut?: (file: number, frame: number) => boolean;
    /** Over slides, too. */
    readonly isOnSlides?: boolean;
  },
) => Promise<ReachedImages>;

/** Finds the images that the slices of layers reach, in their own frame of reference and over registrations. */
export function createReach({ tasks, files, registrations, imagePlanes }: Context): FindReached {
  /** Of all layers of one answer, which look for images within the same files. */
  const ofAnswers = new WeakMap<ReadonlyMap<number, unknown>, Map<string, Promise<ImagesOfSpace>>>();

  /** The images of a frame of reference; those of one answer are looked for once. */
  function findImages(space: string, { within, ...options }: WithinOptions): Promise<ImagesOfSpace> {
    if (within === undefined) return list(space, options);
    const known = ofAnswers.get(within) ?? new Map<string, Promise<ImagesOfSpace>>();
    ofAnswers.set(within, known);
    const images = known.get(space) ?? list(space, { ...options, within });
    known.set(space, images);
    return images;
  }

  async function list(space: string, { within, ...options }: WithinOptions): Promise<ImagesOfSpace> {
    const all = await files.imagesIn(space);
    const { images, slides } = await doInTurns(chooseImages(all, within), options.signal);
    const key = within === undefined ? `${space} ${images.length}` : undefined;
    const listed = await imagePlanes.listPlanes(images, options, key);
    const pictures = within && (await doInTurns(packPictures([...listed.placed, ...slides]), options.signal));
    return { ...listed, count: images.length, slides, pictures };
  }

  return async (
    { own, tables },
    { isElsewhere = false, isOnSlides = false, isLeftOut = () => false, within, ...options },
  ) => {
    const { found, leftOut, unusable } = await followSpaces(
      [own],
      { files, registrations },
      { ...options, isElsewhere },
      async ({ frameOfReferenceUid, placement }) => {
        const images = await findImages(frameOfReferenceUid, { ...options, within });
        if (images.count === 0 && frameOfReferenceUid !== own) return undefined;
        const frames = await doInTurns(leaveOut(images, { isOnSlides, isLeftOut }), options.signal);
        const targets = await reach(tasks, { tables, ...frames, placement }, options);
        return { space: { frameOfReferenceUid, placement }, targets, warnings: images.warnings };
      },
    );
    return {
      spaces: found.map(({ space }) => space),
      targets: found.flatMap(({ targets }) => targets),
      warnings: [...leftOut, ...found.flatMap(({ warnings }) => warnings), ...unusable],
    };
  };
}

type WithinOptions = LayerOptions & { readonly within?: ReadonlyMap<number, unknown> | undefined };

type ImagesOfSpace = ListedPlanes & {
  /** Number of images, placed or not. */
  readonly count: number;
  readonly slides: readonly PlacedFrame[];
  /** Of the placed frames and then the slides, for an answer about many layers. */
  readonly pictures: PictureColumns | undefined;
};

function* packPictures(placed: readonly PlacedFrame[]): WorkInTurns<PictureColumns> {
  const pictures = createPictureColumns(placed.length);
  for (const [at, { file, plane }] of placed.entries()) {
    yield;
    putPicture(pictures, at, { ...plane, ...pictureSizeOf(file) });
  }
  return pictures;
}

function* chooseImages(
  all: readonly DicomFile[],
  within: ReadonlyMap<number, unknown> | undefined,
): WorkInTurns<{ readonly images: readonly DicomFile[]; readonly slides: readonly PlacedFrame[] }> {
  const images: DicomFile[] = [];
  const slides: PlacedFrame[] = [];
  for (const file of all) {
    yield;
    if (within?.has(file.index) === false) continue;
    images.push(file);
    slides.push(...listSlidePlanes([file]));
  }
  return { images, slides };
}

function* leaveOut(
  { placed, slides, pictures }: ImagesOfSpace,
  {
    isOnSlides,
    isLeftOut,
  }: { readonly isOnSlides: boolean; readonly isLeftOut: (file: number, frame: number) => boolean },
): WorkInTurns<Pick<PlacedImages, 'placed' | 'numbers' | 'pictures'>> {
  const others: PlacedFrame[] = [];
  const numbers: number[] = [];
  let number = 0;
  for (const frames of isOnSlides ? [placed, slides] : [placed]) {
    for (const one of frames) {
      yield;
      if (!isLeftOut(one.file.index, one.frame)) {
        others.push(one);
        numbers.push(number);
      }
      number += 1;
    }
  }
  return { placed: others, numbers, pictures };
}

type PlacedImages = {
  readonly tables: readonly PositionTable[];
  readonly placed: readonly PlacedFrame[];
  /** The pictures of the placed frames, and the number of each among them; undefined if they are not known. */
  readonly pictures: PictureColumns | undefined;
  readonly numbers: readonly number[];
  /** Of the layer in the frame of reference of the images. */
  readonly placement: LayerPlacement;
};

async function reach(
  tasks: TaskRunner,
  images: PlacedImages,
  { signal }: LayerOptions,
): Promise<readonly TargetFrames[]> {
  const { tables, placed, placement } = images;
  const [first] = placed;
  if (first === undefined) return [];
  if (placement.steps === undefined || planeInLayer(first.plane, placement) !== undefined) {
    return doInTurns(listMet(images), signal);
  }
  const { planes } = await doInTurns(packPlaced(placed), signal);
  const sizes = await doInTurns(listSizes(placed), signal);
  const { steps, bytes } = wayBack(placement);
  const reached = await tasks.run(
    reachPlanesTask,
    { planes, sizes, steps, tables },
    { of: { wayBytes: bytes }, signal },
  );
  return groupByFile(placed.filter((_, at) => reached[at] === 1));
}

function* listSizes(placed: readonly PlacedFrame[]): WorkInTurns<Uint32Array<ArrayBuffer>> {
  const sizes = new Uint32Array(2 * placed.length);
  for (const [at, { file }] of placed.entries()) {
    yield;
    const { rows, columns } = pictureSizeOf(file);
    sizes.set([rows, columns], 2 * at);
  }
  return sizes;
}

function* listMet({
  tables,
  placed,
  numbers,
  pictures,
  placement,
}: PlacedImages): WorkInTurns<readonly TargetFrames[]> {
  const met: PlacedFrame[] = [];
  const meetings = tables.map(createMeeting);
  const isDirect = placement.steps === undefined;
  const single = createPictureColumns(1);
  for (const [at, one] of placed.entries()) {
    yield;
    let [columns, index] = [single, 0];
    if (isDirect && pictures !== undefined) [columns, index] = [pictures, numbers[at]!];
    else {
      const plane = planeInLayer(one.plane, placement);
      if (plane === undefined) continue;
      putPicture(single, 0, { ...plane, ...pictureSizeOf(one.file) });
    }
    if (meetings.some((meets) => meets(columns, index))) met.push(one);
  }
  return groupByFile(met);
}

export function groupByFile(
  frames: Iterable<{ readonly file: DicomFile; readonly frame: number }>,
): readonly TargetFrames[] {
  const targets = new Map<number, { file: DicomFile; frames: number[] }>();
  for (const { file, frame } of frames) {
    const known = targets.get(file.index);
    if (known === undefined) targets.set(file.index, { file, frames: [frame] });
    else known.frames.push(frame);
  }
  return [...targets.values()];
}
