import { deflateRawSync } from 'node:zlib';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import type { DataSet } from '../../src/server/standard/dicom/dataSet.ts';
import { dictionaryVr } from '../../src/server/standard/dicom/dictionary.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import * as Tag from '../../src/server/standard/dicom/tag.ts';
import { vrTraits } from '../../src/server/standard/dicom/vr.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { explicit, implicit, item, join, part10 } from '../support/rawElements.ts';

/** Encodings of the elements of a file. */
export const FORMS = ['explicit', 'implicit', 'UN', 'deflated'] as const;
export type Form = (typeof FORMS)[number];

const SYNTAX_OF: { readonly [Name in Form]: string } = {
  explicit: '1.2.840.10008.1.2.1',
  implicit: '1.2.840.10008.1.2',
  UN: '1.2.840.10008.1.2.1',
  deflated: '1.2.840.10008.1.2.1.99',
};

/** The tags that the code knows: all that it reads, and some more. */
export const KNOWN_TAGS: readonly number[] = Object.values(Tag)
  .filter((tag) => typeof tag === 'number')
  .filter((tag) => tag >= 0x00080000 && tag < 0x7fe00000)
  .toSorted((a, b) => a - b);

export type Bomb = {
  readonly base: DataSetInput;
  readonly form: Form;
  /** Selects the elements that become long; all others are unchanged. */
  readonly isLong: (tag: number) => boolean;
  /** Their largest length in bytes. Explicit elements with a 16-bit length stay below 64 KiB. */
  readonly bytes: number;
  /** Elements that are added to those of the base, at the top level and in every item. */
  readonly added?: readonly number[];
  /** Content of the long elements instead of their own values. */
  readonly filler?: string;
};

/** A file whose elements have their correct values, followed by very many more. */
export function writeManyValues({ base, form, isLong, bytes, added = [], filler }: Bomb): Uint8Array {
  const { dataSet } = readDicom(bufferSource(writeDicom(base)));

  const writeElement = (tag: number, vr: string, value: Uint8Array): Uint8Array => {
    if (form === 'implicit') return implicit(tag, value);
    if (form === 'explicit' || !isLong(tag)) return explicit(tag, vr, value);
    // The only way to write more than 64 KiB with a short VR.
    return explicit(tag, 'UN', value);
  };

  const most = (vr: string) =>
    form === 'explicit' && vrTraits(vr)?.longLength !== true ? Math.min(bytes, 65_534) : bytes;

  const lengthen = (value: Uint8Array, vr: string): Uint8Array =>
    filler === undefined ? repeat(value, vr, most(vr)) : Buffer.alloc(most(vr) & ~1, filler, 'latin1');

  const writeSet = (set: DataSet, depth: number): Uint8Array => {
    const elements = new Map<number, Uint8Array>();
    for (const element of set) {
      const { tag, items } = element;
      const vr = set.readAs(tag);
      if (items !== undefined) elements.set(tag, writeItems(tag, items, depth));
      else {
        const value = set.bytes(tag, 2 ** 20) ?? new Uint8Array(0);
        const isKept = tag >= 0x7fe00000 || !isLong(tag);
        elements.set(tag, writeElement(tag, vr, isKept ? value : lengthen(value, vr)));
      }
    }
    for (const tag of added) {
      const vr = oneVr(tag);
      if (elements.has(tag) || vr === 'SQ') continue;
      elements.set(tag, writeElement(tag, vr, lengthen(valueOf(vr), vr)));
    }
    return join(...[...elements].toSorted(([a], [b]) => a - b).map(([, written]) => written));
  };

  const writeItems = (tag: number, items: readonly DataSet[], depth: number): Uint8Array => {
    const written = join(...items.map((each) => item(writeSet(each, depth + 1))));
    return form === 'implicit' ? implicit(tag, written) : explicit(tag, 'SQ', written);
  };

  const written = writeSet(dataSet, 0);
  return part10(form === 'deflated' ? deflateRawSync(written, { level: 9 }) : written, SYNTAX_OF[form]);
}

/** Repeats the value up to this many bytes; the result has an even length. */
function repeat(value: Uint8Array, vr: string, bytes: number): Uint8Array {
  const traits = vrTraits(vr);
  const isText = traits?.kind === 'text' || traits?.kind === 'numeric text';
  const text = Buffer.from(value)
    .toString('latin1')
    .replace(/[\0 ]+$/, '');
  const unit = isText ? Buffer.from(`${text}\\`, 'latin1') : Buffer.from(value.length === 0 ? [0, 0] : value);
  const whole = Math.max(1, Math.floor(bytes / unit.length));
  const repeated = Buffer.alloc(whole * unit.length, unit);
  return repeated.length % 2 === 0 ? repeated : join(repeated, Uint8Array.of(0x20));
}

function oneVr(tag: number): string {
  const vr = dictionaryVr(tag) ?? 'UN';
  return vr.length === 2 ? vr : vr.startsWith('US') ? 'US' : 'OW';
}

/** Any valid value of a VR. */
function valueOf(vr: string): Uint8Array {
  const traits = vrTraits(vr);
  if (traits?.kind === 'numeric text') return Buffer.from('1', 'latin1');
  if (traits?.kind === 'text') return Buffer.from(vr === 'UI' ? '2.25.1' : 'A', 'latin1');
  return Uint8Array.from({ length: traits?.kind === 'tag' ? 4 : (traits?.unit ?? 2) }, (_, i) => (i === 0 ? 1 : 0));
}
