import { writeNiftiHeader } from '../../../images/exports/nifti/writeNiftiHeader.ts';
import { type GzipPart, joinBytes, packGzipPart, STRIP_BYTES, writeGzip } from '../../../machine/workers/gzipParts.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { writeSegmentTags } from './segmentTags.ts';
import type { VolumeLabel, WriteLabelsInput, WrittenLabels } from './markVolumeTasks.ts';

/** Implements `writeLabelsTask`. Labels are packed in strips: they are in memory once. */
export function writeLabels(
  input: WriteLabelsInput,
  { transfer, throwIfCancelled }: Pick<TaskContext, 'transfer' | 'throwIfCancelled'>,
): WrittenLabels {
  const { format, volumes } = input;
  const head = format === 'nrrd' ? writeNrrdHeader(input) : writeLabelHeader(input);
  if (format === 'nii') return { file: transfer(head), isWithLabels: false };
  const parts: GzipPart[] = format === 'nrrd' ? [] : [packGzipPart(head)];
  for (const strip of format === 'nrrd' && volumes.length > 1 ? listInterleaved(volumes) : listStrips(volumes)) {
    throwIfCancelled();
    parts.push(packGzipPart(strip));
  }
  const packed = writeGzip(parts);
  return { file: transfer(format === 'nrrd' ? joinBytes([head, packed]) : packed), isWithLabels: true };
}

type Volumes = WriteLabelsInput['volumes'];

/** The bytes of volumes, one after the other. */
function* listStrips(volumes: Volumes): Generator<Uint8Array> {
  for (const labels of volumes) {
    const samples = new Uint8Array(labels.buffer, labels.byteOffset, labels.byteLength);
    for (let at = 0; at < samples.length; at += STRIP_BYTES) yield samples.subarray(at, at + STRIP_BYTES);
  }
}

/** The labels of all volumes at each sample beside each other, as 3D Slicer writes its layers. */
function* listInterleaved(volumes: Volumes): Generator<Uint8Array> {
  const [first = new Uint8Array(0)] = volumes;
  const perStrip = Math.max(1, Math.floor(STRIP_BYTES / (volumes.length * first.BYTES_PER_ELEMENT)));
  const strip = isWide(volumes)
    ? new Uint16Array(perStrip * volumes.length)
    : new Uint8Array(perStrip * volumes.length);
  for (let start = 0; start < first.length; start += perStrip) {
    const count = Math.min(perStrip, first.length - start);
    for (const [n, labels] of volumes.entries()) {
      for (let at = 0; at < count; at += 1) strip[at * volumes.length + n] = labels[start + at]!;
    }
    yield new Uint8Array(strip.buffer, 0, count * volumes.length * strip.BYTES_PER_ELEMENT);
  }
}

function isWide([labels]: Volumes): boolean {
  return labels instanceof Uint16Array;
}

const HEADER_BYTES = 348;
const HEAD_OF_EXTENSION = 8;
const COMMENT = 6;
const DATA_OFFSET_AT = 108;

/** A NIfTI header with the names of the labels as a comment, because the format has no place for them. */
function writeLabelHeader({ grid, volumes, names, software }: WriteLabelsInput): Uint8Array<ArrayBuffer> {
  const head = writeNiftiHeader({
    grid,
    times: volumes.length,
    timeStepSeconds: undefined,
    storage: isWide(volumes) ? 'uint16' : 'uint8',
    rescale: { slope: 1, intercept: 0 },
    description: software,
  });
  const text = new TextEncoder().encode(
    JSON.stringify({ labels: names.map(({ value, key, title, volume }) => ({ value, key, title, volume })) }),
  );
  const bytes = Math.ceil((HEAD_OF_EXTENSION + text.length) / 16) * 16;
  const whole = new Uint8Array(head.length + bytes);
  whole.set(head);
  whole.set(text, head.length + HEAD_OF_EXTENSION);
  const view = new DataView(whole.buffer);
  view.setUint8(HEADER_BYTES, 1);
  view.setInt32(head.length, bytes, true);
  view.setInt32(head.length + 4, COMMENT, true);
  view.setFloat32(DATA_OFFSET_AT, whole.length, true);
  return whole;
}

/** As 3D Slicer writes segmentations (`.seg.nrrd`): names, colors and codes are fields of each segment. */
function writeNrrdHeader({ grid, volumes, names, software }: WriteLabelsInput): Uint8Array<ArrayBuffer> {
  const { size, vectors, origin } = grid;
  const isList = volumes.length > 1;
  const lines = [
    'NRRD0004',
    `# ${software}`,
    `type: ${isWide(volumes) ? 'unsigned short' : 'unsigned char'}`,
    `dimension: ${isList ? 4 : 3}`,
    'space: left-posterior-superior',
    `sizes: ${[...(isList ? [volumes.length] : []), ...size].join(' ')}`,
    `space directions: ${[...(isList ? ['none'] : []), ...vectors.map(toLps)].join(' ')}`,
    `kinds: ${isList ? 'list ' : ''}domain domain domain`,
    'endian: little',
    'encoding: gzip',
    `space origin: ${toLps(origin)}`,
    'Segmentation_MasterRepresentation:=Binary labelmap',
    'Segmentation_ContainedRepresentationNames:=Binary labelmap|',
    'Segmentation_ReferenceImageExtentOffset:=0 0 0',
    ...names.flatMap((name, n) => writeSegmentFields(name, n, size)),
  ];
  return new TextEncoder().encode(`${lines.join('\n')}\n\n`);
}

function writeSegmentFields(
  { value, key, id = key ?? 'unlabelled', title, color, codes, volume = 0, extent }: VolumeLabel,
  n: number,
  [i, j, k]: readonly [number, number, number],
): string[] {
  const prefix = `Segment${n}_`;
  return [
    `${prefix}ID:=${inOneLine(id)}`,
    `${prefix}Name:=${inOneLine(title)}`,
    `${prefix}NameAutoGenerated:=0`,
    `${prefix}Color:=${color.map((channel) => Number((channel / 255).toFixed(6))).join(' ')}`,
    `${prefix}ColorAutoGenerated:=0`,
    `${prefix}LabelValue:=${value}`,
    `${prefix}Layer:=${volume}`,
    `${prefix}Extent:=${(extent ?? [0, i - 1, 0, j - 1, 0, k - 1]).join(' ')}`,
    `${prefix}Tags:=${writeSegmentTags(key, codes)}`,
  ];
}

/** A line break would end the field. */
function inOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\\]+/gu, ' ').trim();
}

/** The grid of NIfTI has x to the right and y to the front. */
function toLps([x, y, z]: readonly [number, number, number]): string {
  return `(${0 - x},${0 - y},${z})`;
}
