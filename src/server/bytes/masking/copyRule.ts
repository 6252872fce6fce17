import { DESCRIPTOR_TAGS, DEVICE_TAGS } from './copyOptions.ts';
import { maskRuleOf, type MaskRule, profileActionOf } from './maskElement.ts';

/** What a copy has in place of an element. */
export type CopyRule =
  | Exclude<MaskRule, 'remove'>
  /** The element is not there. */
  | 'drop'
  /** It has no value. */
  | 'empty'
  /** A date or time that is the same in all files. */
  | 'fixed_date'
  | 'fixed_time'
  | 'fixed_date_time'
  /** Its items are there, and all texts in them are replaced, codes included. */
  | 'replace_items'
  /** Words that describe what was measured stay. */
  | 'descriptor';

/** Options of the profile, PS3.15 E.3. Without them: the Basic Profile, and what `--mask` keeps. */
export type CopyOptions = {
  readonly retainsUids: boolean;
  /** Dates are moved by one number of days a patient, and times are kept, in place of none at all. */
  readonly shiftsDates: boolean;
  readonly retainsDevice: boolean;
  /** Words of descriptions stay that are no name of anybody. */
  readonly cleansDescriptors: boolean;
  /** Private elements stay that are known to be numbers of the measurement. */
  readonly retainsSafePrivate: boolean;
};

export type CopiedElement = {
  readonly tag: number;
  /** As written, and that of the dictionary, undefined if the dictionary does not have the tag. */
  readonly vr: string;
  readonly known: string | undefined;
  /** Whether it is in an item, and in one whose texts are all replaced. */
  readonly isNested: boolean;
  readonly isReplaced: boolean;
};

const LENGTH_TO_END = 0x00080001;

/**
 * What the profile removes although some object must have it: Responsible Person and Organization of an animal, date and time
 * of a presentation state, and the reason that a hanging protocol is for.
 */
const REQUIRED: ReadonlyMap<number, CopyRule> = new Map([
  [0x00102297, 'empty'],
  [0x00102299, 'empty'],
  [0x00700082, 'fixed_date'],
  [0x00700083, 'fixed_time'],
]);
const DESCRIPTOR_VRS: ReadonlySet<string> = new Set(['LO', 'SH', 'ST', 'LT', 'UT', 'UC']);
const REASON_CODES = 0x0040100a;

/**
 * The rule of `--mask`, where a file needs an answer of its own: what the profile removes is not there, and what it empties
 * is empty. PS3.15 table E.1-1 leaves a choice where the type of an element differs between objects, such as X/Z/D; here the
 * answer is the one that is valid in all of them.
 */
export function copyRuleOf(element: CopiedElement, options: CopyOptions): CopyRule {
  const { tag, vr, known, isNested, isReplaced } = element;
  // Group lengths count bytes of another data set.
  if ((tag & 0xffff) === 0 || tag === LENGTH_TO_END) return 'drop';
  if (options.retainsDevice && DEVICE_TAGS.has(tag)) return 'keep';
  if (options.cleansDescriptors && DESCRIPTOR_TAGS.has(tag) && !isReplaced && DESCRIPTOR_VRS.has(vr))
    return 'descriptor';
  const rule = maskRuleOf(tag, { vr, known });
  const action = profileActionOf(tag) ?? '';
  const required = options.shiftsDates && (rule === 'date' || rule === 'time') ? undefined : REQUIRED.get(tag);
  if (required !== undefined) return required;
  if (tag === REASON_CODES && isNested) return 'empty';
  switch (rule) {
    case 'remove':
      return known === 'SQ' ? removalOfItems(action, isNested) : removalOf(action);
    case 'uid':
      if (action === 'X') return 'drop';
      return options.retainsUids ? 'keep' : 'uid';
    case 'date':
      return options.shiftsDates ? 'date' : withoutDate(action, 'fixed_date');
    case 'date_time':
      return options.shiftsDates ? 'date_time' : withoutDate(action, 'fixed_date_time');
    case 'time':
      // Times that the profile does not list are how long something takes.
      return options.shiftsDates || action === '' ? 'time' : withoutDate(action, 'fixed_time');
    case 'text':
      if (action === 'X') return 'drop';
      return known === 'PN' && action === 'Z' ? 'empty' : 'text';
    case 'keep':
      return isReplaced && (known === 'LO' || known === 'SH') ? 'label' : 'keep';
    case 'label':
    case 'age':
    case 'number':
    case 'patient_name':
    case 'patient_id':
      return rule;
  }
}

function removalOf(action: string): CopyRule {
  return /[DZ]/.test(action) ? 'empty' : 'drop';
}

/** Sequences that may be empty must be there in items; at the top level, those that are there must not be empty. */
function removalOfItems(action: string, isNested: boolean): CopyRule {
  if (action === 'D' || action === 'X/Z/D') return 'replace_items';
  if (action === 'Z' || (action === 'X/Z' && isNested)) return 'empty';
  return 'drop';
}

type Fixed = 'fixed_date' | 'fixed_time' | 'fixed_date_time';

function withoutDate(action: string, fixed: Fixed): CopyRule {
  if (action.includes('D')) return fixed;
  return action === 'X' ? 'drop' : 'empty';
}
