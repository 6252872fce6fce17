import { PET_TAGS, type PetAttributes, type PetNumber, type PetText } from '../../../shared/suv.ts';
import type { DataSet } from './dataSet.ts';
import { readPrivateNumbers } from './privateElement.ts';
import * as Tag from './tag.ts';

const PHILIPS = 'Philips PET Private Group';
const PHILIPS_GROUP = 0x7053;
const MOST_CORRECTIONS = 32;

/** What the uptake values of a PET image depend on. An attribute without a readable value counts as absent. */
export function readPetAttributes(dataSet: DataSet): PetAttributes {
  const [drug] = dataSet.items(Tag.RadiopharmaceuticalInformationSequence);
  const text = (keyword: PetText) => drug?.string(tagOf(keyword)) ?? dataSet.string(tagOf(keyword));
  const number = (keyword: PetNumber) => drug?.number(tagOf(keyword)) ?? dataSet.number(tagOf(keyword));
  const corrected = dataSet.strings(Tag.CorrectedImage, MOST_CORRECTIONS);
  return {
    Units: text('Units'),
    SUVType: text('SUVType'),
    CorrectedImage: corrected.length === 0 ? undefined : corrected,
    DecayCorrection: text('DecayCorrection'),
    PatientWeight: number('PatientWeight'),
    RadionuclideTotalDose: number('RadionuclideTotalDose'),
    RadionuclideHalfLife: number('RadionuclideHalfLife'),
    RadiopharmaceuticalStartTime: text('RadiopharmaceuticalStartTime'),
    RadiopharmaceuticalStartDateTime: text('RadiopharmaceuticalStartDateTime'),
    SeriesDate: text('SeriesDate'),
    SeriesTime: text('SeriesTime'),
    AcquisitionDate: text('AcquisitionDate'),
    AcquisitionTime: text('AcquisitionTime'),
    TimezoneOffsetFromUTC: text('TimezoneOffsetFromUTC'),
    FrameReferenceTime: number('FrameReferenceTime'),
    ActualFrameDuration: number('ActualFrameDuration'),
    PhilipsSUVScaleFactor: philipsNumber(dataSet, 0x00),
    PhilipsActivityConcentrationScaleFactor: philipsNumber(dataSet, 0x09),
  };
}

/** Whether `readPetAttributes` may need an element. */
export function isPetTag(tag: number): boolean {
  return tag >>> 16 === PHILIPS_GROUP || WANTED.has(tag);
}

function tagOf(keyword: keyof typeof PET_TAGS): number {
  return parseTag(PET_TAGS[keyword]);
}

/** `(0054,1001)` as a number. */
function parseTag(text: string): number {
  return parseInt(text.replace(/[(),]/g, ''), 16);
}

const WANTED: ReadonlySet<number> = new Set([
  Tag.RadiopharmaceuticalInformationSequence,
  ...Object.values(PET_TAGS).map(parseTag),
]);

/** The private block that belongs to Philips differs between files. Without explicit VRs, its numbers are bytes. */
function philipsNumber(dataSet: DataSet, element: number): number | undefined {
  const [value] = readPrivateNumbers(dataSet, { creator: PHILIPS, group: PHILIPS_GROUP, element }, 'DS', 1);
  return Number.isFinite(value) ? value : undefined;
}
