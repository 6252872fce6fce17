import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import { checkFrame } from '../pixels/frames.ts';
import { inspectConcatenation, isPart, orderParts } from '../series/concatenation.ts';
import { imageTypeRole } from '../series/imageType.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { locateTile, type TilePlace } from './locateTile.ts';
import { createSlideFiles, type SlideFamily } from './slideFiles.ts';
import { readSlideLayoutTask, type SlideLayout } from './slideLayout.ts';

/** One tile of a slide: its position, and the other images of the slide. */
export type SlideContext = {
  readonly layout: SlideLayout;
  readonly place: TilePlace;
  readonly family: SlideFamily;
  /** Index in `family.levels` of the level that contains the file. */
  readonly level: number | undefined;
  readonly imageTypeRole: string | undefined;
  readonly warnings: readonly string[];
};

export interface SlideContexts {
  /** Throws `frame_out_of_range`, and `bad_request` for a file that is not a slide. */
  read(file: DicomFile, frame: number, signal: AbortSignal | undefined): Promise<SlideContext>;
  /** The layout of all frames of a file. Throws `no_pixel_data`, and `bad_request` for a file that is not a slide. */
  readLayout(file: DicomFile, signal: AbortSignal | undefined): Promise<SlideLayout>;
}

const BYTES_A_FRAME = 26;

export function createSlideContexts(context: {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
}): SlideContexts {
  const { catalog, tasks, memory } = context;
  const slides = createSlideFiles(catalog.files);
  const layouts = memory.cache<SlideLayout>('slideLayouts');

  async function readLayout(file: DicomFile, signal: AbortSignal | undefined): Promise<SlideLayout> {
    const { source, frameCount } = file;
    const key = `slide\0${await stateOf(source)}`;
    const known = layouts.get(key);
    if (known !== undefined) return known;
    const options = { of: file, key, shareKey: key, signal };
    const layout = await tasks.run(readSlideLayoutTask, { source, frameCount }, options);
    layouts.set(key, layout, layout.frames === undefined ? 0 : frameCount * BYTES_A_FRAME);
    return layout;
  }

  return {
    async readLayout(file, signal) {
      checkFrame(file, 0);
      checkSlide(file);
      return readLayout(file, signal);
    },
    async read(file, frame, signal) {
      checkFrame(file, frame);
      checkSlide(file);
      const layout = await readLayout(file, signal);
      const place = locateTile(layout, frame);
      const family = slides.familyOf(file);
      const level = family.levels.findIndex(({ files }) => files.includes(file));
      return {
        layout,
        place,
        family,
        level: level < 0 ? undefined : level,
        imageTypeRole: imageTypeRole(file.placement?.imageType),
        warnings: [...place.warnings, ...describeParts(family.levels[level]?.files ?? [file], file)],
      };
    },
  };
}

function checkSlide({ objectKind, index }: DicomFile): void {
  if (objectKind === 'whole_slide_microscopy') return;
  throw new ViewerError('bad_request', `file ${index} is not a whole slide image`);
}

/** Messages about missing parts of the level that a file belongs to. */
function describeParts(files: readonly DicomFile[], file: DicomFile): string[] {
  const uid = file.placement?.concatenation?.uid;
  const parts = files.filter(isPart).filter(({ placement }) => placement.concatenation.uid === uid);
  return inspectConcatenation(orderParts(parts)).map(({ message }) => message);
}
