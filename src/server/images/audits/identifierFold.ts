import type { AuditCode, AuditFinding } from '../../../shared/contract/audits.ts';
import { isMasked } from '../../bytes/masking/masker.ts';
import { findDictionaryEntry } from '../../standard/dicom/dictionary.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { type CutFold, type FileFact, saidIn } from './factFold.ts';
import type { FactKey } from './factTasks.ts';
import { countWords, FoundFiles, someTexts, toFinding } from './finding.ts';
import { maskForm } from './maskForm.ts';

/** Different elements; files decide how many private ones there are. */
const MOST_ELEMENTS = 20_000;
/** Different values of an element that are counted, and that are listed. */
const MOST_COUNTED = 1_000;
/** Different values of all elements together: they are in memory until the audit ends. */
const MOST_VALUES = 250_000;
const MOST_LISTED = 20;

type FoundElement = {
  readonly key: FactKey;
  readonly files: FoundFiles;
  readonly values: Set<string>;
  /** More values than are counted. */
  hasMore: boolean;
};

/** `showsValues`: values are listed as they are, in place of their form. A masked run has no others than masked ones. */
export function createIdentifierFold(showsValues: boolean): CutFold {
  const elements = new Map<string, FoundElement>();
  const contradicted = new FoundFiles();
  const contradictions = new Set<string>();
  let isCut = false;
  let values = 0;

  function note(file: DicomFile, { key, value }: FileFact): void {
    const id = idOf(key);
    if (id === undefined) return;
    let found = elements.get(id);
    if (found === undefined) {
      if (elements.size >= MOST_ELEMENTS) {
        isCut = true;
        return;
      }
      found = { key, files: new FoundFiles(), values: new Set(), hasMore: false };
      elements.set(id, found);
    }
    found.files.add(file);
    if (value === '') return;
    if (found.values.has(value)) return;
    if (found.values.size < MOST_COUNTED && values < MOST_VALUES) {
      found.values.add(value);
      values += 1;
    } else found.hasMore = true;
  }

  return {
    take(file, facts) {
      for (const fact of facts) note(file, fact);
      if (saidIn(facts, 'PatientIdentityRemoved') !== 'YES') return;
      const against = facts.filter(({ key, value }) => value !== '' && isAgainstRemoval(key));
      if (against.length === 0) return;
      contradicted.add(file);
      for (const { key } of against) if (key.kind === 'element') contradictions.add(nameTag(key.tag));
    },
    *findings(list) {
      if (contradicted.count > 0) {
        list.add(
          toFinding({
            code: 'identity_removed_contradicted',
            unit: { kind: 'element', id: '(0012,0062)', name: 'PatientIdentityRemoved' },
            files: contradicted.list(),
            count: contradicted.count,
            message: `${countWords(contradicted.count, 'file says', 'files say')} that the identity of the patient was removed, and ${someTexts(contradictions, MOST_LISTED).join(', ')} have values`,
            values: { elements: someTexts(contradictions, MOST_LISTED) },
          }),
        );
      }
      for (const [id, found] of [...elements].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        yield;
        list.add(describe(id, found, showsValues));
      }
    },
    isCut: () => isCut,
  };
}

/** Elements of one name are one finding, wherever they are nested. */
function idOf(key: FactKey): string | undefined {
  switch (key.kind) {
    case 'element':
      return `1 ${Tag.tagToString(key.tag)} ${key.isNested ? 'in items' : ''}`;
    case 'text':
      return key.creator === undefined
        ? `2 ${Tag.tagToString(key.tag)} ${key.isNested ? 'in items' : ''}`
        : `2 ${placeOfPrivate(key.tag, key.creator)} ${key.isNested ? 'in items' : ''}`;
    case 'path':
      return '3';
    case 'private':
      return `4 ${hex(key.group)} ${key.creator ?? ''}`;
    case 'hidden':
      return `5 ${key.what}`;
    case 'protocol':
    case 'said':
      return undefined;
  }
}

/**
 * What the Basic Profile removes or empties, and is no date, no UID and no description. Where it puts another value, the
 * value that is there may be that one.
 */
function isAgainstRemoval(key: FactKey): boolean {
  if (key.kind !== 'element' || key.action === undefined) return false;
  if (/[DUKC]/.test(key.action) || key.tag === Tag.PatientName || key.tag === Tag.PatientID) return false;
  return key.vr === 'PN' || (key.tag >>> 16 === 0x0010 && !CHARACTERISTICS.has(key.tag));
}

/** Sex, age, size and weight, which options of the profile keep. */
const CHARACTERISTICS: ReadonlySet<number> = new Set([0x00100040, 0x00101010, 0x00101020, 0x00101030]);

type Described = Pick<AuditFinding, 'code' | 'unit' | 'message' | 'values'>;

function describe(id: string, found: FoundElement, showsValues: boolean): AuditFinding {
  const { key, files } = found;
  const { code, unit, message, values } = describeKey(id, key, found, showsValues);
  return toFinding({ code, unit, files: files.list(), count: files.count, message, values });
}

function describeKey(id: string, key: FactKey, found: FoundElement, showsValues: boolean): Described {
  const inFiles = `in ${countWords(found.files.count, 'file')}`;
  switch (key.kind) {
    case 'element': {
      const { tag, vr, action, isNested } = key;
      const where = isNested ? ' in items of sequences' : '';
      const name = nameTag(tag);
      const code = codeOf(vr, action);
      const listed = listValues(found, showsValues);
      const many = vr === 'SQ' ? 'has items' : `has ${describeCount(found)}`;
      const doing = action === undefined ? 'not in table E.1-1' : `action ${action}`;
      return {
        code,
        unit: elementUnit(tag, isNested),
        message: `${name} ${many}${where} ${inFiles} (${doing})`,
        values: { tag: Tag.tagToString(tag), vr, action: action ?? null, is_nested: isNested, ...listed },
      };
    }
    case 'text': {
      const { tag, creator, isNested } = key;
      const isPrivate = creator !== undefined;
      const place = isPrivate ? placeOfPrivate(tag, creator) : nameTag(tag);
      const where = isNested ? ' in items of sequences' : '';
      const unit = isPrivate
        ? { kind: 'element' as const, id: `${place}${isNested ? ' in items' : ''}`, name: 'private element' }
        : elementUnit(tag, isNested);
      return {
        code: 'identifier_in_text',
        unit,
        message: `${place}${where} contains the name or ID of the patient ${inFiles}`,
        values: { is_nested: isNested, is_private: isPrivate, ...listValues(found, showsValues) },
      };
    }
    case 'path':
      return {
        code: 'identifier_in_path',
        unit: { kind: 'group', id: 'paths', name: 'paths of files' },
        message: `the paths of ${countWords(found.files.count, 'file')} contain the name or ID of the patient`,
        values: {},
      };
    case 'private': {
      const { creator, group } = key;
      const places = someTexts(found.values, MOST_COUNTED);
      const of = creator === undefined ? 'without a creator' : `of ${JSON.stringify(creator)}`;
      return {
        code: 'private_elements',
        unit: { kind: 'element', id: `(${hex(group)},xxxx)`, name: creator ?? '' },
        message: `${countWords(places.length, 'private element')} ${of} in group ${hex(group)} ${inFiles}`,
        values: {
          group: hex(group),
          creator: creator ?? null,
          elements: places.slice(0, MOST_LISTED),
          distinct: places.length,
        },
      };
    }
    case 'hidden':
      return HIDDEN[key.what](inFiles);
    case 'protocol':
    case 'said':
      throw new Error(`${id} is not found by this audit`);
  }
}

const HIDDEN: Readonly<Record<'overlay' | 'document' | 'icon', (inFiles: string) => Described>> = {
  overlay: (inFiles) => ({
    code: 'overlay_planes',
    unit: { kind: 'element', id: '(60xx,3000)', name: 'OverlayData' },
    message: `overlay planes ${inFiles}`,
    values: {},
  }),
  document: (inFiles) => ({
    code: 'embedded_document',
    unit: { kind: 'element', id: '(0042,0011)', name: 'EncapsulatedDocument' },
    message: `embedded documents ${inFiles}`,
    values: {},
  }),
  icon: (inFiles) => ({
    code: 'icon_image',
    unit: { kind: 'element', id: '(0088,0200)', name: 'IconImageSequence' },
    message: `icons ${inFiles}`,
    values: {},
  }),
};

function codeOf(vr: string, action: string | undefined): AuditCode {
  if (action === undefined) return 'identifier_name';
  if (vr === 'UI') return 'identifier_uid';
  return vr === 'DA' || vr === 'DT' || vr === 'TM' ? 'identifier_date' : 'identifier_element';
}

function listValues({ values, hasMore }: FoundElement, showsValues: boolean) {
  // In a masked run the values themselves are masked.
  const isShown = showsValues || isMasked();
  const listed = isShown ? values : new Set(Array.from(values, maskForm));
  return {
    distinct: values.size,
    has_more: hasMore,
    is_masked: !isShown,
    listed: someTexts(listed, MOST_LISTED),
  };
}

function describeCount({ values, hasMore }: FoundElement): string {
  if (values.size === 0) return 'a value';
  return `${hasMore ? 'more than ' : ''}${countWords(values.size, 'value')}`;
}

function elementUnit(tag: number, isNested: boolean): AuditFinding['unit'] {
  return { kind: 'element', id: `${Tag.tagToString(tag)}${isNested ? ' in items' : ''}`, name: nameTag(tag) };
}

function nameTag(tag: number): string {
  return findDictionaryEntry(tag)?.keyword ?? Tag.tagToString(tag);
}

function placeOfPrivate(tag: number, creator: string): string {
  return `(${hex(tag >>> 16)},xx${(tag & 0xff).toString(16).toUpperCase().padStart(2, '0')})@${creator}`;
}

function hex(group: number): string {
  return group.toString(16).toUpperCase().padStart(4, '0');
}
