import { deflateRawSync } from 'node:zlib';
import { ByteWriter } from './byteWriter.ts';
import type { DataSetInput, ElementValue, EncapsulatedInput } from './dataSetInput.ts';
import { dictionaryVr, findTag } from './dictionary.ts';
import { type ElementContext, encodeValue, isEncapsulated } from './encodeValue.ts';
import * as Tag from './tag.ts';
import { type Encoding, encodingOf, ExplicitVrLittleEndian, ImplicitVrLittleEndian } from './transferSyntax.ts';
import { vrTraits } from './vr.ts';

export type { DataSetInput, ElementInput, ElementValue, EncapsulatedInput } from './dataSetInput.ts';

export type WriteOptions = {
  /** Default Explicit VR Little Endian. */
  readonly transferSyntaxUid?: string;
  /** 128 bytes, default zeros. `false` starts the file with the meta information, without `DICM`. */
  readonly preamble?: Uint8Array | false;
  /** `false` writes only the data set: no preamble, no file meta information. */
  readonly meta?: boolean;
  /** Default `defined`. */
  readonly sequenceLength?: 'defined' | 'undefined';
};

const IMPLEMENTATION_CLASS_UID = '2.25.77167267688692684862549894335621004186';
const UNDEFINED_LENGTH = 0xffffffff;

/**
 * Writes a DICOM file with these elements, for tests and the demo study. Values that the standard forbids are refused;
 * text is encoded in the character set that Specific Character Set (0008,0005) names. The file meta information is
 * derived from the elements; elements of group 0002 in the input override it.
 */
export function writeDicom(elements: DataSetInput, options: WriteOptions = {}): Uint8Array {
  const transferSyntaxUid = options.transferSyntaxUid ?? ExplicitVrLittleEndian;
  const all = resolveTags(elements);
  const dataSet = all.filter(({ tag }) => tag >= 0x00030000);
  const encoding = encodingOf(transferSyntaxUid);
  const body = encodeDataSet(dataSet, { encoding, undefinedLength: options.sequenceLength === 'undefined' }, undefined);
  const stored = encoding.deflated ? deflate(body) : body;
  if (options.meta === false) return stored;

  const writer = new ByteWriter(true);
  if (options.preamble !== false) {
    const preamble = options.preamble ?? new Uint8Array(128);
    if (preamble.length !== 128) throw new RangeError(`the preamble has ${preamble.length} bytes, not 128`);
    writer.bytes(preamble);
    writer.ascii('DICM');
  }
  writer.bytes(encodeMeta(all, transferSyntaxUid));
  writer.bytes(stored);
  return writer.toBytes();
}

type TaggedInput = { readonly tag: number; readonly key: string; readonly vr: string; readonly value: ElementValue };
type Layout = { readonly encoding: Encoding; readonly undefinedLength: boolean };

/** A sequence with the VR UN is Implicit VR Little Endian of undefined length in any data set. PS3.5 6.2.2. */
const UNKNOWN_SEQUENCE: Layout = { encoding: encodingOf(ImplicitVrLittleEndian), undefinedLength: true };

function resolveTags(elements: DataSetInput): readonly TaggedInput[] {
  const resolved = new Map<number, TaggedInput>();
  for (const [key, input] of Object.entries(elements)) {
    if (input === undefined) continue;
    const tag = /^[0-9A-Fa-f]{8}$/.test(key) ? parseInt(key, 16) : findTag(key);
    if (tag === undefined) throw new TypeError(`${key} is neither a DICOM keyword nor eight hex digits`);
    if (resolved.has(tag)) throw new TypeError(`${Tag.tagToString(tag)} is given twice`);
    const forced = typeof input === 'object' && 'vr' in input;
    const vr = forced ? input.vr : dictionaryVr(tag);
    if (vr === undefined) throw new TypeError(`${key} is not in the dictionary: give { vr, value }`);
    resolved.set(tag, { tag, key, vr, value: forced ? input.value : input });
  }
  return [...resolved.values()].toSorted((a, b) => a.tag - b.tag);
}

function encodeMeta(elements: readonly TaggedInput[], transferSyntaxUid: string): Uint8Array {
  const valueOf = (tag: number) => elements.find((element) => element.tag === tag)?.value;
  const made: DataSetInput = {
    FileMetaInformationVersion: Uint8Array.of(0, 1),
    MediaStorageSOPClassUID: valueOf(Tag.SOPClassUID),
    MediaStorageSOPInstanceUID: valueOf(Tag.SOPInstanceUID),
    TransferSyntaxUID: transferSyntaxUid,
    ImplementationClassUID: IMPLEMENTATION_CLASS_UID,
    ImplementationVersionName: 'NEGATO',
  };
  const given = elements.filter(({ tag }) => tag >>> 16 === 2);
  const merged = new Map([...resolveTags(made), ...given].map((element) => [element.tag, element]));
  const rest = [...merged.values()].toSorted((a, b) => a.tag - b.tag);
  const layout = { encoding: encodingOf(ExplicitVrLittleEndian), undefinedLength: false };
  const body = encodeDataSet(
    rest.filter(({ tag }) => tag !== Tag.FileMetaInformationGroupLength),
    layout,
    undefined,
  );
  const length = resolveTags({
    FileMetaInformationGroupLength: valueOf(Tag.FileMetaInformationGroupLength) ?? body.length,
  });
  const writer = new ByteWriter(true);
  writer.bytes(encodeDataSet(length, layout, undefined));
  writer.bytes(body);
  return writer.toBytes();
}

function encodeDataSet(
  elements: readonly TaggedInput[],
  layout: Layout,
  parent: ElementContext | undefined,
): Uint8Array {
  const writer = new ByteWriter(layout.encoding.littleEndian);
  const context = contextOf(elements, layout, parent);
  for (const element of withOffsetTables(elements)) writeElement(writer, element, layout, context);
  return writer.toBytes();
}

/** What the encoding of a value depends on; items inherit it unless they define their own. */
function contextOf(
  elements: readonly TaggedInput[],
  layout: Layout,
  parent: ElementContext | undefined,
): ElementContext {
  const find = (tag: number) => elements.find((element) => element.tag === tag)?.value;
  const characterSet = find(Tag.SpecificCharacterSet);
  return {
    littleEndian: layout.encoding.littleEndian,
    explicit: layout.encoding.explicit,
    characterSets: characterSet === undefined ? (parent?.characterSets ?? []) : [characterSet].flat().map(String),
    signed: Number(find(Tag.PixelRepresentation) ?? (parent?.signed === true ? 1 : 0)) === 1,
    bitsAllocated: Number(find(Tag.BitsAllocated) ?? parent?.bitsAllocated ?? 16),
  };
}

function withOffsetTables(elements: readonly TaggedInput[]): readonly TaggedInput[] {
  const pixels = elements.find(({ value }) => isEncapsulated(value) && value.offsetTable === 'extended');
  if (pixels === undefined || !isEncapsulated(pixels.value)) return elements;
  const { fragments, fragmentsPerFrame } = pixels.value;
  if (fragmentsPerFrame?.some((count) => count !== 1) === true) {
    throw new TypeError('an extended offset table needs frames of one fragment each');
  }
  const tables = resolveTags({
    ExtendedOffsetTable: BigUint64Array.from(offsetsOf(fragments).map(BigInt)),
    ExtendedOffsetTableLengths: BigUint64Array.from(fragments.map((fragment) => BigInt(fragment.length))),
  });
  return [...elements, ...tables].toSorted((a, b) => a.tag - b.tag);
}

/** The start of each fragment's item, counted from the first byte after the basic offset table. */
function offsetsOf(fragments: readonly Uint8Array[]): number[] {
  const offsets: number[] = [];
  let offset = 0;
  for (const fragment of fragments) {
    offsets.push(offset);
    offset += 8 + fragment.length + (fragment.length % 2);
  }
  return offsets;
}

function writeElement(writer: ByteWriter, element: TaggedInput, layout: Layout, context: ElementContext): void {
  const { tag, key, value } = element;
  if (isEncapsulated(value)) return writeEncapsulated(writer, element, value, layout);
  if (isItems(element.vr, value)) return writeSequence(writer, element, value, layout, context);
  try {
    const { vr, bytes } = encodeValue(element, context);
    writeHeader(writer, { tag, vr, length: bytes.length + (bytes.length % 2) }, layout.encoding);
    writer.bytes(bytes);
    if (bytes.length % 2 === 1) writer.uint8(vrTraits(vr)?.padding ?? 0);
  } catch (error) {
    throw new TypeError(`${key}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function isItems(vr: string, value: ElementValue): value is readonly DataSetInput[] {
  return Array.isArray(value) && (vr === 'SQ' || (vr === 'UN' && typeof value[0] === 'object'));
}

function writeHeader(
  writer: ByteWriter,
  { tag, vr, length }: { tag: number; vr: string; length: number },
  { explicit }: Encoding,
): void {
  writer.tag(tag);
  if (!explicit) return writer.uint32(length);
  writer.ascii(vr);
  if (vrTraits(vr)?.longLength === true) {
    writer.uint16(0);
    return writer.uint32(length);
  }
  if (length > 0xfffe) throw new RangeError(`${length} bytes do not fit the 16-bit length of ${vr}`);
  writer.uint16(length);
}

function writeSequence(
  writer: ByteWriter,
  { tag, vr }: TaggedInput,
  items: readonly DataSetInput[],
  outer: Layout,
  context: ElementContext,
): void {
  const layout = vr === 'UN' ? UNKNOWN_SEQUENCE : outer;
  const content = new ByteWriter(layout.encoding.littleEndian);
  for (const item of items) {
    const bytes = encodeDataSet(resolveTags(item), layout, context);
    content.tag(Tag.Item);
    content.uint32(layout.undefinedLength ? UNDEFINED_LENGTH : bytes.length);
    content.bytes(bytes);
    if (layout.undefinedLength) writeDelimiter(content, Tag.ItemDelimitationItem);
  }
  if (layout.undefinedLength) writeDelimiter(content, Tag.SequenceDelimitationItem);
  const bytes = content.toBytes();
  const length = layout.undefinedLength ? UNDEFINED_LENGTH : bytes.length;
  writeHeader(writer, { tag, vr, length }, outer.encoding);
  writer.bytes(bytes);
}

function writeEncapsulated(
  writer: ByteWriter,
  { tag, key }: TaggedInput,
  { fragments, offsetTable = 'basic', fragmentsPerFrame = fragments.map(() => 1) }: EncapsulatedInput,
  { encoding }: Layout,
): void {
  if (!encoding.explicit || !encoding.littleEndian) {
    throw new TypeError(`${key}: encapsulated data needs an Explicit VR Little Endian transfer syntax`);
  }
  if (fragmentsPerFrame.reduce((sum, count) => sum + count, 0) !== fragments.length) {
    throw new RangeError(`${key}: fragmentsPerFrame does not add up to ${fragments.length} fragments`);
  }
  writeHeader(writer, { tag, vr: 'OB', length: UNDEFINED_LENGTH }, encoding);
  const starts: number[] = [];
  if (offsetTable === 'basic') {
    const offsets = offsetsOf(fragments);
    let first = 0;
    for (const count of fragmentsPerFrame) {
      starts.push(offsets[first] ?? 0);
      first += count;
    }
  }
  writer.tag(Tag.Item);
  writer.uint32(starts.length * 4);
  for (const start of starts) writer.uint32(start);
  for (const fragment of fragments) {
    writer.tag(Tag.Item);
    writer.uint32(fragment.length + (fragment.length % 2));
    writer.bytes(fragment);
    if (fragment.length % 2 === 1) writer.uint8(0);
  }
  writeDelimiter(writer, Tag.SequenceDelimitationItem);
}

function writeDelimiter(writer: ByteWriter, tag: number): void {
  writer.tag(tag);
  writer.uint32(0);
}

/** PS3.5 A.5: a deflated data set of odd length gets a trailing zero byte. */
function deflate(bytes: Uint8Array): Uint8Array {
  const deflated = deflateRawSync(bytes);
  if (deflated.length % 2 === 0) return deflated;
  const padded = new Uint8Array(deflated.length + 1);
  padded.set(deflated);
  return padded;
}
