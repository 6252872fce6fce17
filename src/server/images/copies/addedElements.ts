import type { CopyOptions } from '../../bytes/masking/copyRule.ts';
import type { CopyProfile } from './copyTasks.ts';
import type { AddedElement } from './rewriteDataSet.ts';

export function addText(tag: number, vr: 'CS' | 'LO' | 'SH', text: string): AddedElement {
  return { tag, vr, value: Buffer.from(text.length % 2 === 0 ? text : `${text} `, 'latin1') };
}

export function addWord(tag: number, value: number, littleEndian: boolean): AddedElement {
  const bytes = new Uint8Array(2);
  new DataView(bytes.buffer).setUint16(0, value, littleEndian);
  return { tag, vr: 'US', value: bytes };
}

const PATIENT_IDENTITY_REMOVED = 0x00120062;
const DEIDENTIFICATION_METHOD = 0x00120063;
const DEIDENTIFICATION_METHOD_CODES = 0x00120064;
const LONGITUDINAL_TEMPORAL_INFORMATION = 0x00280303;
const CODE_VALUE = 0x00080100;
const CODING_SCHEME = 0x00080102;
const CODE_MEANING = 0x00080104;

/** What the profile has to say of a file that it was applied to. PS3.15 E.1.1, E.2 and E.3. */
export function addStatements({ options, method }: CopyProfile): readonly AddedElement[] {
  return [
    addText(PATIENT_IDENTITY_REMOVED, 'CS', 'YES'),
    addText(DEIDENTIFICATION_METHOD, 'LO', method.join('\\')),
    {
      tag: DEIDENTIFICATION_METHOD_CODES,
      vr: 'SQ',
      value: codesOf(options).map(([value, meaning]) => [
        addText(CODE_VALUE, 'SH', value),
        addText(CODING_SCHEME, 'SH', 'DCM'),
        addText(CODE_MEANING, 'LO', meaning),
      ]),
    },
    addText(LONGITUDINAL_TEMPORAL_INFORMATION, 'CS', options.shiftsDates ? 'MODIFIED' : 'REMOVED'),
  ];
}

/** PS3.16 CID 7050. Not Clean Pixel Data: boxes cover what somebody has marked, and nobody says that it was all. */
function codesOf(options: CopyOptions): readonly (readonly [code: string, meaning: string])[] {
  return [
    ['113100', 'Basic Application Confidentiality Profile'],
    ['113103', 'Clean Graphics Option'],
    ['113104', 'Clean Structured Content Option'],
    ...(options.cleansDescriptors ? ([['113105', 'Clean Descriptors Option']] as const) : []),
    ...(options.shiftsDates
      ? ([['113107', 'Retain Longitudinal Temporal Information Modified Dates Option']] as const)
      : []),
    ['113108', 'Retain Patient Characteristics Option'],
    ...(options.retainsDevice ? ([['113109', 'Retain Device Identity Option']] as const) : []),
    ...(options.retainsUids ? ([['113110', 'Retain UIDs Option']] as const) : []),
    ...(options.retainsSafePrivate ? ([['113111', 'Retain Safe Private Option']] as const) : []),
  ];
}
