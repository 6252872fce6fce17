import { readDicom } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import { CODE_TAGS, findCode } from '../../standard/dicom/code.ts';
import { packAtOnce } from '../../machine/workers/packedList.ts';
import { createImageReader, MOST_NAMED } from './namedImages.ts';
import type { KeyObjectRecord } from './presentationTasks.ts';

const KEY_OBJECT_DESCRIPTION = '113012';
const DOCUMENT_TITLE_MODIFIER = '113011';
const PERSON_OBSERVER_NAME = '121008';
const MOST_MODIFIERS = 16;

/** Implements `readKeyObjectsTask`. PS3.16 TID 2010: all content is one level below the root. */
export function readKeyObjects(file: KnownSource): KeyObjectRecord {
  return withSame(file, (source) => {
    const { dataSet } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: { element: (_depth, tag) => WANTED.has(tag), item: (_depth, index) => index < MOST_NAMED.listed },
      limits: { maxDepth: 4 },
      measure: false,
    });
    const images = createImageReader();
    const content = images.list(dataSet, Tag.ContentSequence);
    const ofType = (type: string, concept: string) =>
      content.filter(
        (item) => item.string(Tag.ValueType) === type && findCode(item, Tag.ConceptNameCodeSequence)?.value === concept,
      );
    const modifiers = ofType('CODE', DOCUMENT_TITLE_MODIFIER).slice(0, MOST_MODIFIERS);
    return {
      type: 'key_objects',
      title: findCode(dataSet, Tag.ConceptNameCodeSequence),
      modifiers: modifiers.flatMap((item) => findCode(item, Tag.ConceptCodeSequence)?.meaning ?? []),
      description: ofType('TEXT', KEY_OBJECT_DESCRIPTION)[0]?.string(Tag.TextValue),
      creator: ofType('PNAME', PERSON_OBSERVER_NAME)[0]?.string(PERSON_NAME),
      date: dataSet.string(Tag.ContentDate),
      time: dataSet.string(Tag.ContentTime),
      images: images.read(
        content
          .filter((item) => item.string(Tag.ValueType) === 'IMAGE')
          .flatMap((item) => item.items(Tag.ReferencedSOPSequence).slice(0, 1)),
        undefined,
      ),
      named: packAtOnce(images.all),
      warnings: images.warnings,
    };
  });
}

const PERSON_NAME = 0x0040a123;

const WANTED: ReadonlySet<number> = new Set([
  Tag.SpecificCharacterSet,
  Tag.ContentDate,
  Tag.ContentTime,
  Tag.ValueType,
  Tag.ConceptNameCodeSequence,
  Tag.ConceptCodeSequence,
  ...CODE_TAGS,
  Tag.TextValue,
  PERSON_NAME,
  Tag.ContentSequence,
  Tag.ReferencedSOPSequence,
  Tag.ReferencedSOPClassUID,
  Tag.ReferencedSOPInstanceUID,
  Tag.ReferencedFrameNumber,
]);
