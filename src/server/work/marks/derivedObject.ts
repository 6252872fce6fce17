import { ViewerError } from '../../../shared/contract/errors.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import type { DataSetInput, ElementInput } from '../../standard/dicom/dataSetInput.ts';
import { findTag } from '../../standard/dicom/dictionary.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { writeDicom } from '../../standard/dicom/writeDicom.ts';
import { createUid } from './createUid.ts';

export type Software = { readonly name: string; readonly version: string };

/** Elements of patient and study that every object of the study repeats; without a value, they are empty. */
const COPIED = [
  'PatientName',
  'PatientID',
  'PatientBirthDate',
  'PatientSex',
  'StudyInstanceUID',
  'StudyDate',
  'StudyTime',
  'StudyID',
  'AccessionNumber',
  'ReferringPhysicianName',
] as const;

/** The elements of a new object in the study of another one: patient, study, series, equipment and instance. */
export function deriveObject(source: DataSet, { name, version }: Software): DataSetInput {
  requireUids({ 'Study Instance UID': source.string(Tag.StudyInstanceUID) ?? '' });
  const now = new Date().toISOString();
  const [date, time] = [now.slice(0, 10).replaceAll('-', ''), now.slice(11, 19).replaceAll(':', '')];
  return {
    SpecificCharacterSet: 'ISO_IR 192',
    ...copyElements(source),
    SOPInstanceUID: createUid(),
    SeriesInstanceUID: createUid(),
    InstanceCreationDate: date,
    InstanceCreationTime: time,
    SeriesDate: date,
    SeriesTime: time,
    ContentDate: date,
    ContentTime: time,
    SeriesNumber: 1,
    SeriesDescription: 'Marks',
    InstanceNumber: 1,
    Manufacturer: name,
    ManufacturerModelName: name,
    DeviceSerialNumber: '1',
    SoftwareVersions: version,
  };
}

/** What the standard forbids is left empty: a wrong date of the source must not prevent the export. */
function copyElements(dataSet: DataSet): DataSetInput {
  const copied: Record<string, ElementInput> = {};
  for (const keyword of COPIED) {
    const tag = findTag(keyword);
    const text = tag === undefined ? '' : (dataSet.string(tag) ?? '');
    copied[keyword] = isAllowed(keyword, text) ? text : '';
  }
  return copied;
}

/**
 * Throws if an object cannot name others by these UIDs. Writing them as they are would make a file that other programs
 * refuse, and any other UID would name nothing.
 */
export function requireUids(uids: Readonly<Record<string, string>>): void {
  for (const [what, uid] of Object.entries(uids)) {
    if (uid !== '' && isAllowed('UID', uid)) continue;
    const message = `the ${what} ${JSON.stringify(uid.slice(0, 80))} is no valid UID, and the file would have to name it`;
    throw new ViewerError('malformed_content', message);
  }
}

function isAllowed(keyword: string, text: string): boolean {
  try {
    writeDicom({ SpecificCharacterSet: 'ISO_IR 192', [keyword]: text }, { meta: false });
    return true;
  } catch {
    return false;
  }
}

/** A decimal string has at most 16 characters. */
export function toDecimal(number: number): string {
  for (let digits = 15; digits > 5; digits -= 1) {
    const text = String(Number(number.toPrecision(digits)));
    if (text.length <= 16) return text;
  }
  return number.toExponential(8);
}

/** A long string has at most 64 characters, and no backslash or control character. */
export function toShortText(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\\]+/gu, ' ').trim();
  return Array.from(plain).slice(0, 64).join('');
}

/** Text of any length, without control characters apart from line breaks. */
export function toLongText(text: string): string {
  return text.replaceAll(/(?![\r\n])\p{Cc}/gu, ' ');
}
