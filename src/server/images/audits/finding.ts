import {
  AUDIT_CODES,
  AUDIT_CODE_NAMES,
  AUDIT_LEVELS,
  type AuditFinding,
  MOST_FINDING_FILES,
  MOST_FINDINGS,
} from '../../../shared/contract/audits.ts';
import { compareTexts } from '../../../shared/compareTexts.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';

/** The first files that something was found in, and their number. */
export class FoundFiles {
  readonly #first: AuditFinding['files'] = [];
  #last = -1;
  count = 0;

  /** A file that is added several times in a row counts once. */
  add({ index, path }: Pick<DicomFile, 'index' | 'path'>): void {
    if (index === this.#last) return;
    this.#last = index;
    this.count += 1;
    if (this.#first.length < MOST_FINDING_FILES) this.#first.push({ file_index: index, path });
  }

  list(): AuditFinding['files'] {
    return this.#first;
  }
}

export function listFoundFiles(files: Iterable<Pick<DicomFile, 'index' | 'path'>>): AuditFinding['files'] {
  const found = new FoundFiles();
  for (const file of files) found.add(file);
  return found.list();
}

type Given = Omit<AuditFinding, 'level'> & Partial<Pick<AuditFinding, 'level'>>;

/** A finding has the level of its code, unless this one is more or less important. */
export function toFinding(given: Given): AuditFinding {
  const { code, level = AUDIT_CODES[code].level, unit, files, count, message, values } = given;
  return { code, level, unit, files, count, message, values };
}

/** The findings of an audit, no more of them than are listed. */
export class FindingList {
  /** By level and code, those that come first. */
  readonly #lists = new Map<string, AuditFinding[]>();
  #total = 0;

  /** With those that are not listed. */
  get total(): number {
    return this.#total;
  }

  add(finding: AuditFinding): void {
    this.#total += 1;
    const key = `${finding.level} ${finding.code}`;
    const list = this.#lists.get(key) ?? [];
    this.#lists.set(key, list);
    if (list.length < MOST_FINDINGS) list.push(finding);
  }

  /** The most important first, then by code in the order of the table. Findings of one code keep their order. */
  list(): AuditFinding[] {
    const listed: AuditFinding[] = [];
    for (const level of AUDIT_LEVELS.toReversed()) {
      for (const code of AUDIT_CODE_NAMES) {
        for (const finding of this.#lists.get(`${level} ${code}`) ?? []) {
          if (listed.length === MOST_FINDINGS) return listed;
          listed.push(finding);
        }
      }
    }
    return listed;
  }
}

/** The unit of a series: the id is that in /series, the name has nothing of its patient. */
export function seriesUnit(file: DicomFile): AuditFinding['unit'] {
  const { studyInstanceUid, seriesInstanceUid } = file;
  return { kind: 'series', id: `${studyInstanceUid}/${seriesInstanceUid}`, name: nameOfSeries(file) };
}

export function nameOfSeries({ seriesNumber, seriesDescription, sopClassName, modality }: DicomFile): string {
  const parts = [seriesNumber, seriesDescription || (sopClassName ?? ''), modality];
  return parts.filter((part) => part !== '').join(' · ');
}

export function fileUnit({ path, sopClassName, modality }: DicomFile): AuditFinding['unit'] {
  return { kind: 'file', id: path, name: sopClassName ?? modality };
}

/** `1 file`, `3 files`. */
export function countWords(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** The texts in order, at most so many of them. */
export function someTexts(texts: Iterable<string>, most: number): string[] {
  return [...texts].toSorted(compareTexts).slice(0, most);
}
