import { dictionaryVr, isPrivate } from '../../standard/dicom/dictionary.ts';
import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import type { ReadFilter } from '../../standard/dicom/readPlan.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { DeclaredReferences } from './declaredReferences.ts';
import { extractReferences, REFERENCE_LIMITS } from './extractReferences.ts';

/** Implements `readReferencesTask`. Reads only the values that make up a reference. */
export function readReferences(file: KnownSource, { transfer }: TaskContext): DeclaredReferences {
  const declared = withSame(file, (source) => {
    const { dataSet, flags } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: FILTER,
      limits: { maxDepth: REFERENCE_LIMITS.levels },
    });
    const references = extractReferences(dataSet);
    const isCut = flags.some(({ code }) => CUT_SHORT.has(code));
    return isCut ? { ...references, truncated: true } : references;
  });
  transfer(declared.rows);
  for (const { starts, values } of [declared.frameNumbers, declared.segmentNumbers]) {
    transfer(starts);
    transfer(values);
  }
  return declared;
}

const CUT_SHORT: ReadonlySet<string> = new Set(['depth_limited', 'element_limit', 'byte_limit']);

const VALUES: ReadonlySet<number> = new Set([
  Tag.SpecificCharacterSet,
  Tag.SOPClassUID,
  Tag.ReferencedSOPClassUID,
  Tag.ReferencedSOPInstanceUID,
  Tag.ReferencedFrameNumber,
  Tag.ReferencedSegmentNumber,
  Tag.SeriesInstanceUID,
  Tag.ValueType,
  Tag.CodeValue,
]);

const FILTER: ReadFilter = {
  element: (_depth, tag) => {
    if (VALUES.has(tag)) return true;
    // Only the file knows the type of a private element, and private sequences may reference instances too.
    return tag !== Tag.IconImageSequence && (isPrivate(tag) || dictionaryVr(tag) === 'SQ');
  },
  item: (_depth, index) => index < REFERENCE_LIMITS.itemsPerSequence,
};
