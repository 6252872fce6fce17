import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { readFrameNumbers } from '../../standard/dicom/eachFrame.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { type DeclaredReference, type DeclaredReferences, packReferences } from './declaredReferences.ts';
import { type ContentPlace, isEvidence, relationshipOf, SERIES_SEQUENCES } from './relationship.ts';

export const REFERENCE_LIMITS = {
  levels: 16,
  itemsPerSequence: 4096,
  references: 65_536,
  numbersPerList: 65_536,
  /** For all references together. */
  numbers: 262_144,
};

/**
 * The distinct references of an object, in the order of declaration. References are not followed, so there can be no
 * cycle.
 */
export function extractReferences(dataSet: DataSet): DeclaredReferences {
  const collector = new ReferenceCollector(dataSet.string(Tag.SOPClassUID) ?? '');
  collector.walk(dataSet, ROOT);
  return packReferences(collector.finish(), collector.truncated);
}

/** The current position of the walk. */
type Place = {
  readonly path: readonly number[];
  readonly seriesInstanceUid: string | undefined;
  readonly registrationItem: number | undefined;
  readonly content: ContentPlace | undefined;
};

type Candidate = DeclaredReference & { readonly isEvidence: boolean; readonly key: string };

const ROOT: Place = { path: [], seriesInstanceUid: undefined, registrationItem: undefined, content: undefined };

/** Code Values of the containers of PS3.16 TID 1500 that hold measurements. */
const MEASUREMENT_CONTAINERS: ReadonlySet<string> = new Set(['125007', '126010']);

class ReferenceCollector {
  readonly #sopClassUid: string;
  readonly #candidates = new Map<string, Candidate>();
  readonly #seriesOfInstance = new Map<string, string>();
  #numbersLeft = REFERENCE_LIMITS.numbers;
  truncated = false;

  constructor(sopClassUid: string) {
    this.#sopClassUid = sopClassUid;
  }

  /** Returns whether anything was found. */
  walk(dataSet: DataSet, place: Place): boolean {
    let found = false;
    for (const { tag, items, itemCount = 0 } of dataSet) {
      if (items === undefined) continue;
      if (itemCount > REFERENCE_LIMITS.itemsPerSequence) this.truncated = true;
      if (place.path.length >= REFERENCE_LIMITS.levels) {
        this.truncated = true;
        return found;
      }
      const path = [...place.path, tag];
      for (const [index, item] of items.entries()) {
        if (index >= REFERENCE_LIMITS.itemsPerSequence) break;
        if (this.#enter(item, enterItem(place, { path, index, item }))) found = true;
      }
    }
    return found;
  }

  #enter(item: DataSet, place: Place): boolean {
    const sopClassUid = item.string(Tag.ReferencedSOPClassUID);
    const sopInstanceUid = item.string(Tag.ReferencedSOPInstanceUID);
    const isReference = sopClassUid !== undefined || sopInstanceUid !== undefined;
    if (isReference) this.#add(item, place, { sopClassUid, sopInstanceUid });
    const found = this.walk(item, place);
    if (isReference || found) return true;
    if (!SERIES_SEQUENCES.has(place.path.at(-1) ?? 0) || place.seriesInstanceUid === undefined) return false;
    // A series without instances refers to the whole series.
    this.#add(item, place, { sopClassUid: undefined, sopInstanceUid: undefined });
    return true;
  }

  #add(item: DataSet, place: Place, target: Pick<DeclaredReference, 'sopClassUid' | 'sopInstanceUid'>): void {
    const { seriesInstanceUid } = place;
    const { sopClassUid, sopInstanceUid } = target;
    if (sopInstanceUid !== undefined && seriesInstanceUid !== undefined) {
      this.#seriesOfInstance.set(sopInstanceUid, seriesInstanceUid);
    }
    const relationship = relationshipOf({
      ...place,
      sopClassUid: this.#sopClassUid,
      targetSopClassUid: sopClassUid,
    });
    const frameNumbers = this.#take((most) => readFrameNumbers(item, most));
    // A label map may have a segment 0.
    const segmentNumbers = this.#take((most) => item.numbers(Tag.ReferencedSegmentNumber, most)).filter(
      (number) => number === (number | 0),
    );
    const key = [sopInstanceUid ?? seriesInstanceUid, frameNumbers, segmentNumbers].join('|');
    const full = [relationship, sopClassUid, key].join('|');
    const candidate = {
      relationship,
      ...target,
      seriesInstanceUid,
      frameNumbers,
      segmentNumbers,
      isEvidence: isEvidence(place.path),
      key,
    };
    const known = this.#candidates.get(full);
    if (known !== undefined) {
      if (known.isEvidence && !candidate.isEvidence) this.#candidates.set(full, candidate);
    } else if (this.#candidates.size >= REFERENCE_LIMITS.references) this.truncated = true;
    else this.#candidates.set(full, candidate);
  }

  #take(read: (most: number) => readonly number[]): readonly number[] {
    const most = Math.min(REFERENCE_LIMITS.numbersPerList, this.#numbersLeft);
    // Requests one more, to detect whether there are more.
    const numbers = read(most + 1);
    if (numbers.length > most) this.truncated = true;
    this.#numbersLeft -= Math.min(most, numbers.length);
    return numbers.slice(0, most);
  }

  finish(): DeclaredReference[] {
    const candidates = [...this.#candidates.values()];
    const inContent = new Set(candidates.filter((each) => !each.isEvidence).map((each) => each.sopInstanceUid));
    const understood = new Set(candidates.filter((each) => each.relationship !== 'unknown').map((each) => each.key));
    return candidates
      .filter((each) => !(each.isEvidence && inContent.has(each.sopInstanceUid)))
      .filter((each) => each.relationship !== 'unknown' || !understood.has(each.key))
      .map((each) => ({
        ...each,
        seriesInstanceUid: each.seriesInstanceUid ?? this.#seriesOfInstance.get(each.sopInstanceUid ?? ''),
      }));
  }
}

function enterItem(
  { seriesInstanceUid, registrationItem, content }: Place,
  { path, index, item }: { readonly path: readonly number[]; readonly index: number; readonly item: DataSet },
): Place {
  return {
    path,
    seriesInstanceUid: item.string(Tag.SeriesInstanceUID) ?? seriesInstanceUid,
    registrationItem: path.at(-1) === Tag.RegistrationSequence ? index : registrationItem,
    content: path.at(-1) === Tag.ContentSequence ? enterContent(item, content) : content,
  };
}

function enterContent(item: DataSet, parent: ContentPlace | undefined): ContentPlace {
  const valueType = item.string(Tag.ValueType)?.trim();
  const concept = item.items(Tag.ConceptNameCodeSequence)[0]?.string(Tag.CodeValue);
  const isMeasured = valueType === 'NUM' || MEASUREMENT_CONTAINERS.has(concept ?? '') || parent?.isMeasured === true;
  return { valueType, concept, isMeasured };
}
