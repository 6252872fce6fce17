import type { PresentedImage } from '../../../shared/contract/presentation.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import type { LostImage, Presentations } from '../../presentation/presentations.ts';
import type {
  BlendingInput,
  KeyObjectRecord,
  NamedImage,
  OwnImages,
  StateArea,
  StateRecord,
  StateVoi,
} from '../../presentation/presentationTasks.ts';
import { isRejection } from '../../presentation/rejection.ts';
import { closeObject, openObject, writeArray } from '../../workers/jsonPieces.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { sendJsonTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

export function presentationRoutes({ catalog, presentations }: ServerContext) {
  const presentation: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const record = await presentations.read(file, { signal: c.signal });
    return sendJsonTexts(c, writeResponse(presentations, file, record));
  };
  return { presentation };
}

function* writeResponse(
  presentations: Presentations,
  { index, sopInstanceUid }: DicomFile,
  record: StateRecord | KeyObjectRecord,
): Generator<string> {
  yield openObject({ file_index: index, sop_instance_uid: sopInstanceUid });
  yield ',"state":';
  if (record.type === 'state') yield* writeState(presentations, record);
  else yield 'null';
  yield `,"key_objects":${record.type === 'key_objects' ? JSON.stringify(toKeyObjects(record)) : 'null'},"images":`;
  const missing: LostImage[] = [];
  yield* writeArray(join(listFound(presentations, record.images, missing)), (one) => JSON.stringify(one));
  yield ',"missing":';
  yield* writeArray(missing, (one) => JSON.stringify(toMissing(one)));
  yield closeObject({ warnings: record.warnings });
}

function* writeState(presentations: Presentations, record: StateRecord): Generator<string> {
  const { kind, label, description, creator, date, time, modality } = record;
  const around = {
    kind,
    label: label ?? null,
    description: description ?? null,
    creator: creator ?? null,
    date: date ?? null,
    time: time ?? null,
    modality:
      modality?.kind === 'lut' ? { ...modality, explanation: modality.explanation ?? null } : (modality ?? null),
    presentation_lut: record.presentationLut ?? null,
    has_palette: record.hasPalette,
    rotation: record.rotation,
    flip_horizontal: record.isFlipped,
    shutters: record.shutters,
    shutter_color: record.shutterColor ?? null,
    layers: record.layers.map(({ name, description: words, color }) => ({
      name,
      description: words ?? null,
      color: color ?? null,
    })),
    overlays: record.overlays.map(({ group, layer, isInState }) => ({
      group,
      layer,
      source: isInState ? 'state' : 'image',
    })),
    left_out: record.leftOut,
  };
  yield `${openObject(around)},"vois":`;
  yield* writeArray(record.vois, (voi) => JSON.stringify(toVoi(presentations, voi)));
  yield ',"areas":';
  yield* writeArray(record.areas, (area) => JSON.stringify(toArea(presentations, area)));
  yield ',"graphics":';
  yield* writeArray(record.graphics, function* ({ images, items }) {
    yield `${openObject({ applies_to: toOwn(presentations, images) })},"items":`;
    yield* writeArray(items, (item) => item);
    yield '}';
  });
  const { blending } = record;
  yield ',"blending":';
  if (blending === undefined) yield 'null}';
  else {
    yield `${openObject({ mode: blending.mode ?? null })},"inputs":`;
    yield* writeArray(blending.inputs, (input) => JSON.stringify(toInput(presentations, input)));
    yield '}}';
  }
}

function toVoi(presentations: Presentations, { images, windows, shape, tables }: StateVoi) {
  return {
    applies_to: toOwn(presentations, images),
    windows: windows.map(toWindow),
    function: shape,
    tables: tables.map((explanation) => explanation ?? null),
  };
}

function toWindow({ center, width, explanation }: StateVoi['windows'][number]) {
  return { center, width, explanation: explanation ?? null };
}

function toArea(presentations: Presentations, area: StateArea) {
  return {
    applies_to: toOwn(presentations, area.images),
    mode: area.mode,
    corners: area.corners,
    spacing_mm: area.spacingMm ?? null,
    pixel_aspect_ratio: area.pixelAspectRatio ?? null,
    magnification: area.magnification ?? null,
  };
}

function toInput(presentations: Presentations, input: BlendingInput) {
  const missing: LostImage[] = [];
  const images = join(listFound(presentations, input.images, missing));
  return {
    number: input.number ?? null,
    position: input.position ?? null,
    series_instance_uid: input.seriesInstanceUid ?? null,
    images,
    missing_count: missing.length,
    opacity: input.opacity ?? null,
    windows: input.windows.map(toWindow),
    has_palette: input.hasPalette,
  };
}

function toKeyObjects(record: KeyObjectRecord) {
  const { title, modifiers, description, creator, date, time } = record;
  return {
    title: title ?? null,
    modifiers,
    description: description ?? null,
    creator: creator ?? null,
    date: date ?? null,
    time: time ?? null,
    is_rejection: isRejection(title),
  };
}

function toMissing({ sopClassUid, sopInstanceUid, seriesInstanceUid, frameNumbers, reason }: LostImage) {
  return {
    sop_class_uid: sopClassUid ?? null,
    sop_instance_uid: sopInstanceUid,
    series_instance_uid: seriesInstanceUid ?? null,
    frame_numbers: frameNumbers,
    reason,
  };
}

function toOwn(presentations: Presentations, images: OwnImages): PresentedImage[] | null {
  return images === undefined ? null : join(listFound(presentations, images, []));
}

/** The open ones; the others are added to `missing`. */
function* listFound(
  presentations: Presentations,
  images: readonly NamedImage[],
  missing: LostImage[],
): Generator<PresentedImage> {
  for (const image of images) {
    const found = presentations.resolve(image);
    if ('reason' in found) missing.push(found);
    else for (const { file, frames } of found) yield toPresented(file, frames);
  }
}

function toPresented({ index }: DicomFile, frames: readonly number[] | undefined): PresentedImage {
  return { file_index: index, frame_indices: frames === undefined ? null : [...frames] };
}

/** An image that is named several times, each time with other frames, becomes one. */
function join(images: Iterable<PresentedImage>): PresentedImage[] {
  const byFile = new Map<number, Set<number> | null>();
  for (const { file_index, frame_indices } of images) {
    const known = byFile.get(file_index);
    if (frame_indices === null || known === null) byFile.set(file_index, null);
    else if (known === undefined) byFile.set(file_index, new Set(frame_indices));
    else for (const frame of frame_indices) known.add(frame);
  }
  return [...byFile].map(([file_index, frames]) => ({
    file_index,
    frame_indices: frames === null ? null : [...frames].toSorted((a, b) => a - b),
  }));
}
