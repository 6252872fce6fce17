import type { Attributes } from '../../standard/dicom/dataSet.ts';
import { dictionaryVr } from '../../standard/dicom/dictionary.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { ExplicitVrLittleEndian } from '../../standard/dicom/transferSyntax.ts';
import { resolveChoice } from '../../standard/dicom/vr.ts';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { type ListedFile, unseenSource } from '../../bytes/origins/origins.ts';
import { describeFile, SCANNED_TAGS } from './describeFile.ts';
import type { FileDescription } from './dicomFile.ts';

/** The elements that `describeTold` uses. */
export const TOLD_TAGS: readonly string[] = SCANNED_TAGS.map(Tag.tagToHex);

/**
 * Describes an image of one frame by what its server has told of it. Its transfer syntax is not known before it is read,
 * and its length is an estimate. Undefined for other objects, which have to be read first.
 */
export function describeTold({ path, ref, told }: ListedFile): FileDescription | undefined {
  if (told === undefined) return undefined;
  const attributes = toAttributes(told);
  const [rows, columns, bits] = [Tag.Rows, Tag.Columns, Tag.BitsAllocated].map((tag) => attributes.number(tag) ?? 0);
  const pixelBytes = Math.ceil((rows! * columns! * (attributes.number(Tag.SamplesPerPixel) ?? 1) * bits!) / 8);
  if (!(pixelBytes > 0 && pixelBytes <= MOST_BYTES)) return undefined;
  const size = HEADER_BYTES + pixelBytes;
  const known = unseenSource(ref, size);
  if (known === undefined) return undefined;
  const file = describeFile({
    path,
    opened: { size, known },
    scan: {
      kind: 'dicom',
      attributes,
      meta: attributes,
      transferSyntaxUid: ExplicitVrLittleEndian,
      pixelData: {
        tag: Tag.PixelData,
        vr: 'OW',
        offset: HEADER_BYTES,
        length: pixelBytes,
        declaredLength: pixelBytes,
        encapsulated: false,
        littleEndian: true,
        source: NO_BYTES,
      },
      flags: [],
    },
  });
  if (file.objectKind !== 'classic_image' || file.frameCount !== 1) return undefined;
  return { ...file, transferSyntaxUid: '', transferSyntaxName: '' };
}

/** More than the header of nearly any image. */
const HEADER_BYTES = 128 * 1024;
/** The longest value of an element. */
const MOST_BYTES = 0xfffffffe;
const NO_BYTES = bufferSource(new Uint8Array(0));

/** `told` is an object with a list for each tag. */
function toAttributes(told: string): Attributes {
  const elements = new Map<string, readonly unknown[]>(Object.entries(JSON.parse(told)));
  const valuesOf = (tag: number, most: number) => (elements.get(Tag.tagToHex(tag)) ?? []).slice(0, most);
  const strings = (tag: number, most: number) => valuesOf(tag, most).map(toText);
  const numbers = (tag: number, most: number) => valuesOf(tag, most).map((value) => Number(toText(value) || NaN));
  return {
    has: (tag) => elements.has(Tag.tagToHex(tag)),
    readAs: (tag) => toSingleVr(dictionaryVr(tag)),
    string: (tag) => strings(tag, 1)[0] || undefined,
    strings,
    number(tag) {
      const [first = NaN] = numbers(tag, 1);
      return Number.isNaN(first) ? undefined : first;
    },
    numbers,
    items: () => [],
    bytes: () => undefined,
  };
}

function toSingleVr(vr = 'UN'): string {
  return vr.length === 2 ? vr : resolveChoice(vr, false);
}

/** Some servers send numbers as texts. */
function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
