import { constants, deflateRawSync } from 'node:zlib';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import type { DataSet } from '../../src/server/standard/dicom/dataSet.ts';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import * as Tag from '../../src/server/standard/dicom/tag.ts';

import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { HOSTILE_FILES } from '../hostile/hostileFiles.ts';
import { type Form, KNOWN_TAGS, writeManyValues } from '../hostile/manyValues.ts';
import { OBJECTS_OF_EVERY_KIND } from '../hostile/objectsOfEveryKind.ts';
import { explicit, item, join, part10 } from '../support/rawElements.ts';

export type AttackFile = { readonly name: string; readonly write: () => Uint8Array };

const MIB = 2 ** 20;
const DEFLATED = '1.2.840.10008.1.2.1.99';
/** Less than the 64 MiB to which a small file may be inflated. */
const BOMB_BYTES = 40 * MIB;

/** The hostile files, and bombs in every attribute of every kind of object, one attribute at a time. */
export function listAttackFiles(): AttackFile[] {
  const families = Object.entries(HOSTILE_FILES).flatMap(([family, files]) =>
    files.map(({ name, write }) => ({ name: `${family} ${name}`, write })),
  );
  return [...families, ...eachElementAlone(), ...allElements(), ...inGroups()];
}

function eachElementAlone(): AttackFile[] {
  return Object.entries(OBJECTS_OF_EVERY_KIND).flatMap(([kind, base]) =>
    [...tagsOf(base)].flatMap((tag) => {
      const isLong = (each: number) => each === tag;
      const name = `bomb ${Tag.tagToHex(tag)} of ${kind}`;
      const bomb = { base, form: 'deflated' as const, isLong, bytes: BOMB_BYTES };
      return [
        { name, write: () => writeManyValues(bomb) },
        { name: `${name}, empty values`, write: () => writeManyValues({ ...bomb, filler: '\\' }) },
      ];
    }),
  );
}

/** 4 MB of values in each encoding that allows this length, long values in all attributes at once, and long texts. */
function allElements(): AttackFile[] {
  return Object.entries(OBJECTS_OF_EVERY_KIND).flatMap(([kind, base]) => [
    ...(['implicit', 'UN'] satisfies Form[]).map((form) => ({
      name: `4 MB of each, ${form}, ${kind}`,
      write: () =>
        writeManyValues({
          base,
          form,
          isLong: (tag) => tag === Tag.WindowCenter || tag === Tag.ImageType,
          bytes: 4 * MIB,
        }),
    })),
    {
      name: `all elements of ${kind}, 60 MB together`,
      write: () => {
        const bytes = Math.floor((58 * MIB) / (2 * [...tagsOf(base)].length));
        return writeManyValues({ base, form: 'deflated', isLong: () => true, bytes });
      },
    },
    {
      name: `every known attribute in ${kind}`,
      write: () => writeManyValues({ base, form: 'deflated', isLong: () => true, bytes: 32 * 1024, added: KNOWN_TAGS }),
    },
    ...Object.entries({ 'escape sequences': '\u001b$B\u001b(B', 'single bytes': '\u001b(J\\' }).map(
      ([name, filler]) => ({
        name: `texts of ${kind} of ${name}`,
        write: () =>
          writeManyValues({
            base: {
              ...base,
              SpecificCharacterSet: ['', 'ISO 2022 IR 87', 'ISO 2022 IR 13'],
              PatientName: 'A',
              OtherPatientIDs: 'A',
            },
            form: 'deflated',
            isLong: (tag) => tag === 0x00100010 || tag === 0x00101000,
            bytes: 22 * MIB,
            filler,
          }),
      }),
    ),
    {
      name: `character sets of ${kind}`,
      write: () =>
        writeManyValues({
          base: { ...base, SpecificCharacterSet: ['', 'ISO 2022 IR 87'] },
          form: 'deflated',
          isLong: (tag) => tag === Tag.SpecificCharacterSet,
          bytes: BOMB_BYTES,
        }),
    },
  ]);
}

/** Thousands of per-frame items, each with a thousand values for an attribute that should have one. */
function inGroups(): AttackFile[] {
  const center = explicit(0x00281050, 'DS', '40\\'.repeat(1000));
  const voi = explicit(0x00289132, 'SQ', item(join(center, explicit(0x00281051, 'DS', '80\\'.repeat(1000)))));
  const index = explicit(0x00209111, 'SQ', item(explicit(0x00209157, 'UL', new Uint8Array(4000))));
  const groups = { 'windows of frames': voi, 'dimension indices of frames': index };
  return Object.entries(groups).map(([name, content]) => ({
    name,
    write: () => {
      const group = item(content);
      const count = Math.floor(BOMB_BYTES / group.length);
      const before = writeDicom(
        {
          ...OBJECTS_OF_EVERY_KIND['an enhanced image'],
          NumberOfFrames: count,
          Rows: 1,
          Columns: 1,
          BitsAllocated: 8,
          BitsStored: 8,
          HighBit: 7,
          PerFrameFunctionalGroupsSequence: undefined,
          PixelData: undefined,
        },
        { meta: false },
      );
      const frames = explicit(0x52009230, 'SQ', Buffer.alloc(group.length * count, group));
      const pixels = explicit(0x7fe00010, 'OB', new Uint8Array(count + (count % 2)));
      return part10(
        deflateRawSync(join(before, frames, pixels), { level: 9, finishFlush: constants.Z_FINISH }),
        DEFLATED,
      );
    },
  }));
}

function tagsOf(base: DataSetInput): ReadonlySet<number> {
  const tags = new Set<number>();
  const collect = (set: DataSet) => {
    for (const { tag, items } of set) {
      if (items !== undefined) for (const each of items) collect(each);
      else if (tag < 0x7fe00000) tags.add(tag);
    }
  };
  collect(readDicom(bufferSource(writeDicom(base))).dataSet);
  return tags;
}
