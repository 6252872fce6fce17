import type { Catalog } from '../../images/catalog/catalog.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { GrowingNumbers } from '../../images/tables/growingNumbers.ts';
import { TextDictionary } from '../../images/tables/textDictionary.ts';
import type { WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import { keyOfReviewed, type ReviewedUnit } from './verdictLine.ts';

/** Each is small, so that no step of its growth takes long. */
const SHARDS = 256;

/** Texts, each once, with a number from 0, of which there may be a million. */
export class KeyNumbers {
  readonly #shards = Array.from({ length: SHARDS }, () => ({
    texts: new TextDictionary(),
    numbers: new GrowingNumbers(),
  }));
  readonly #shardOf = new GrowingNumbers();
  readonly #placeOf = new GrowingNumbers();

  get size(): number {
    return this.#placeOf.length;
  }

  /** The number of a text, which is added if it is new. */
  add(text: string): number {
    const at = shardOf(text);
    const { texts, numbers } = this.#shards[at]!;
    const place = texts.add(text) - 1;
    if (place < numbers.length) return numbers.at(place);
    const number = this.size;
    numbers.set(place, number);
    this.#shardOf.set(number, at);
    this.#placeOf.set(number, place);
    return number;
  }

  text(number: number): string {
    return this.#shards[this.#shardOf.at(number)]!.texts.text(this.#placeOf.at(number) + 1);
  }
}

/** UIDs differ in their last digits. */
function shardOf(text: string): number {
  let value = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) value = (Math.imul(value, 31) + text.charCodeAt(at)) >>> 0;
  return value % SHARDS;
}

type ReviewedFiles = Pick<Catalog, 'files' | 'gone'>;

/** How well a file stands for its unit; the lowest is opened. A companion of a slide may be its label, with names on it. */
const [IMAGE, MAYBE_COMPANION, OTHER] = [0, 1, 2];

/** The units of a review, each with a number that never changes: those of the open files, and those of the file of verdicts. */
export class ReviewUnits {
  readonly #level: TableLevel;
  readonly #keys = new KeyNumbers();
  /** The units in the order in which their first files were found. */
  readonly found = new GrowingNumbers();
  readonly #isFound = new GrowingNumbers();
  readonly #counts = new GrowingNumbers();
  readonly #opening = new GrowingNumbers();
  readonly #standing = new GrowingNumbers();
  /** Of units of files, of which some are there twice: the files behind the first one. */
  readonly #copies = new Map<number, number[]>();
  #seen = 0;
  #goneChanges = 0;
  #leftOut = 0;
  #changes = 0;

  constructor(level: TableLevel) {
    this.#level = level;
  }

  /** Also of units without open files. */
  get size(): number {
    return this.#keys.size;
  }

  /** Grows when files are added or go. */
  get changes(): number {
    return this.#changes;
  }

  /** Files that are part of no unit. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** The number of a unit, which is added if it is new. */
  number(unit: Omit<ReviewedUnit, 'level'>): number {
    const number = this.#keys.add(keyOfReviewed(unit));
    if (number >= this.#counts.length) {
      this.#counts.set(number, 0);
      this.#isFound.set(number, 0);
    }
    return number;
  }

  unit(number: number): ReviewedUnit {
    const [study = '', series = '', instance = ''] = this.#keys.text(number).split('\0');
    return { level: this.#level, study, series, instance };
  }

  /** Number of its open files. */
  count(number: number): number {
    return this.#counts.at(number);
  }

  /** The file that opens it; it has one. */
  opening(number: number): number {
    return this.#opening.at(number);
  }

  /** The file that opens it, and others with the same UID if units are files. */
  filesOf(number: number): readonly number[] {
    return [this.opening(number), ...(this.#copies.get(number) ?? [])];
  }

  /** Takes the files that are new, and leaves out those that have gone. */
  *update(catalog: ReviewedFiles): WorkInTurns<void> {
    if (this.#goneChanges !== catalog.gone.changes) yield* this.#startAgain(catalog.gone.changes);
    while (this.#seen < catalog.files.length) {
      if (!catalog.gone.files.has(this.#seen)) this.#take(catalog.files[this.#seen]!);
      this.#seen += 1;
      yield;
    }
  }

  *#startAgain(goneChanges: number): WorkInTurns<void> {
    this.#goneChanges = goneChanges;
    this.#seen = 0;
    this.#leftOut = 0;
    this.#copies.clear();
    for (let number = 0; number < this.size; number += 1) {
      this.#counts.set(number, 0);
      yield;
    }
    this.#changes += 1;
  }

  /** The number of the unit that a file is part of; undefined if it is part of none. */
  unitOf(file: DicomFile): number | undefined {
    const { studyInstanceUid, seriesInstanceUid, sopInstanceUid } = file;
    const [series, instance] = [
      this.#level === 'study' ? '' : seriesInstanceUid,
      this.#level === 'file' ? sopInstanceUid : '',
    ];
    const own = this.#level === 'study' ? studyInstanceUid : this.#level === 'series' ? series : instance;
    return own === '' ? undefined : this.number({ study: studyInstanceUid, series, instance });
  }

  #take(file: DicomFile): void {
    const { index } = file;
    this.#changes += 1;
    const number = this.unitOf(file);
    if (number === undefined) {
      this.#leftOut += 1;
      return;
    }
    const stands = standingOf(file);
    const count = this.#counts.at(number);
    this.#counts.set(number, count + 1);
    if (this.#isFound.at(number) === 0) {
      this.#isFound.set(number, 1);
      this.found.set(this.found.length, number);
    }
    if (count > 0 && this.#level === 'file') this.#addCopy(number, index);
    else if (count === 0 || stands < this.#standing.at(number)) {
      this.#opening.set(number, index);
      this.#standing.set(number, stands);
    }
  }

  #addCopy(number: number, file: number): void {
    const copies = this.#copies.get(number);
    if (copies === undefined) this.#copies.set(number, [file]);
    else copies.push(file);
  }
}

function standingOf({ supportState, objectKind, frameCount }: DicomFile): number {
  if (supportState !== 'renderable') return OTHER;
  return objectKind === 'whole_slide_microscopy' && frameCount <= 1 ? MAYBE_COMPANION : IMAGE;
}
