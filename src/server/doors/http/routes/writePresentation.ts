import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { ListedImage, NamedImages } from '../../../over/presentation/findNamed.ts';
import type { LostImage } from '../../../over/presentation/presentations.ts';
import type {
  BlendingInput,
  KeyObjectRecord,
  OwnImages,
  PresentationWarning,
  StateArea,
  StateModality,
  StateRecord,
  StateVoi,
} from '../../../over/presentation/presentationTasks.ts';
import { isRejection } from '../../../over/presentation/rejection.ts';
import { closeObject, openObject, writeArray, writeIntegers } from '../../../machine/workers/jsonPieces.ts';
import { unpackInTurn } from '../../../machine/workers/packedList.ts';

/** A page reads the whole answer at once. */
const MOST_MISSING = 1024;

/** The JSON of what a presentation state or a key object selection says. `named` are the images that it names. */
export function* writePresentation(
  { index, sopInstanceUid }: DicomFile,
  record: StateRecord | KeyObjectRecord,
  named: NamedImages,
): Generator<string> {
  yield openObject({ file_index: index, sop_instance_uid: sopInstanceUid });
  yield ',"state":';
  if (record.type === 'state') yield* writeState(named, record);
  else yield 'null';
  yield `,"key_objects":${record.type === 'key_objects' ? JSON.stringify(toKeyObjects(record)) : 'null'},"images":`;
  yield* writeImages(named.listFound(record.images));
  const missing = named.listMissing(record.images);
  yield ',"missing":';
  yield* writeArray(missing.slice(0, MOST_MISSING), (one) => JSON.stringify(toMissing(one)));
  const warnings = named.isCut ? [...record.warnings, COPIES_LEFT_OUT] : record.warnings;
  yield closeObject({ missing_count: missing.length, warnings });
}

const COPIES_LEFT_OUT: PresentationWarning = {
  code: 'too_many_images',
  message: 'Of images that it names, more copies are open than are listed.',
};

function* writeState(named: NamedImages, record: StateRecord): Generator<string> {
  const { kind, label, description, creator, date, time, modality } = record;
  const around = {
    kind,
    label: label ?? null,
    description: description ?? null,
    creator: creator ?? null,
    date: date ?? null,
    time: time ?? null,
    modality: toModality(modality),
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
  yield* writeArray(unpackInTurn(record.vois), (voi) => writePart(named, voi.images, toVoi(voi)));
  yield ',"areas":';
  yield* writeArray(unpackInTurn(record.areas), (area) => writePart(named, area.images, toArea(area)));
  yield ',"graphics":';
  yield* writeArray(unpackInTurn(record.graphics), function* ({ images, items }) {
    yield '{"applies_to":';
    yield* writeOwn(named, images);
    yield ',"items":';
    yield* writeArray(items, (item) => item);
    yield '}';
  });
  const { blending } = record;
  yield ',"blending":';
  if (blending === undefined) yield 'null}';
  else {
    yield `${openObject(toBlending(named, blending))},"inputs":`;
    yield* writeArray(blending.inputs, function* (input) {
      yield `${openObject(toInput(named, input))},"images":`;
      yield* writeImages(input.isWholeSeries ? listSeries(named, input) : named.listFound(input.images));
      yield '}';
    });
    yield '}}';
  }
}

function listSeries(named: NamedImages, { seriesInstanceUid }: BlendingInput): readonly ListedImage[] {
  const files = seriesInstanceUid === undefined ? [] : named.listSeries(seriesInstanceUid);
  return files.map((fileIndex) => ({ fileIndex, frames: undefined }));
}

/** A part of a state with the images that it applies to. */
function* writePart(named: NamedImages, images: OwnImages, members: object): Generator<string> {
  yield `${openObject(members)},"applies_to":`;
  yield* writeOwn(named, images);
  yield '}';
}

function toVoi({ windows, shape, tables }: StateVoi) {
  return {
    windows: windows.map(toWindow),
    function: shape,
    tables: tables.map((explanation) => explanation ?? null),
  };
}

function toWindow({ center, width, explanation }: StateVoi['windows'][number]) {
  return { center, width, explanation: explanation ?? null };
}

function toArea(area: StateArea) {
  return {
    mode: area.mode,
    corners: area.corners,
    spacing_mm: area.spacingMm ?? null,
    pixel_aspect_ratio: area.pixelAspectRatio ?? null,
    magnification: area.magnification ?? null,
  };
}

function toInput(named: NamedImages, input: BlendingInput) {
  const { scale } = input;
  return {
    number: input.number ?? null,
    position: input.position ?? null,
    series_instance_uid: input.seriesInstanceUid ?? null,
    missing_count: named.listMissing(input.images).length,
    opacity: input.opacity ?? null,
    modality: toModality(input.modality),
    windows: input.windows.map(toWindow),
    has_palette: input.hasPalette,
    ranges:
      input.ranges?.map(({ low, high, hasEnds }) => ({
        low: low ?? null,
        high: high ?? null,
        includes_ends: hasEnds,
      })) ?? null,
    scale: scale === undefined ? null : { low: scale.low ?? null, high: scale.high ?? null, colors: scale.colors },
  };
}

function toBlending(named: NamedImages, { mode, steps, reason, registration }: NonNullable<StateRecord['blending']>) {
  return {
    mode: mode ?? null,
    steps,
    reason: reason ?? null,
    registration:
      registration === undefined
        ? null
        : { sop_instance_uid: registration, file_index: named.findIndex(registration) ?? null },
  };
}

function toModality(modality: StateModality) {
  return modality?.kind === 'lut' ? { ...modality, explanation: modality.explanation ?? null } : (modality ?? null);
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

function* writeOwn(named: NamedImages, images: OwnImages): Generator<string> {
  if (images === undefined) yield 'null';
  else yield* writeImages(named.listFound(images));
}

function writeImages(images: readonly ListedImage[]): Generator<string> {
  return writeArray(images, ({ fileIndex, frames }) => {
    const start = `{"file_index":${fileIndex},"frame_indices":`;
    return frames === undefined ? `${start}null}` : writeFrames(start, frames);
  });
}

function* writeFrames(start: string, frames: Uint32Array): Generator<string> {
  yield start;
  yield* writeIntegers(frames);
  yield '}';
}
