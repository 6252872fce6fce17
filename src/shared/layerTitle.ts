import { LAYER_NAMES, LAYER_OBJECTS, RT_DOSE_STORAGE } from './contract/layers.ts';
import type { FieldValues } from './contract/fileFields.ts';

/** The fields of a file that its layer may be called by. */
export type TitledObject = Pick<FieldValues, 'objectKind' | 'sopClassUid' | 'modality' | 'seriesNumber'> &
  Pick<FieldValues, 'seriesDescription' | 'contentTitle'>;

/** What people call the layer of a file: the description of its series, else its label, else what it is. Never a UID. */
export function titleOfLayer(file: TitledObject): string {
  const texts = [file.seriesDescription, file.contentTitle ?? ''].map((text) => text.trim()).filter(isName);
  // In radiotherapy, people enter labels, and programs write descriptions.
  if (file.modality.startsWith('RT')) texts.reverse();
  return texts.find((text) => !GENERIC.test(text)) ?? texts[0] ?? nameKind(file);
}

/** Five or more numbers between dots. */
const UID = /\d+(?:\.\d+){4,}/;
/** What software writes where nobody has entered a name. */
const GENERIC =
  /^(?:(?:image )?segmentations?|seg|label(?:map)?s?|rt ?(?:struct|structure sets?|dose)|structure sets?|doses?|unnamed|unknown|none|no description)$/i;

/** Whether a text can be a name for people. */
export function isName(text: string): boolean {
  return text !== '' && !UID.test(text);
}

function nameKind({ objectKind, sopClassUid, modality, seriesNumber }: TitledObject): string {
  if (sopClassUid === RT_DOSE_STORAGE) return 'Dose';
  const object = LAYER_NAMES.map((name) => LAYER_OBJECTS[name]).find((one) => one.matches({ objectKind, sopClassUid }));
  if (object === undefined || object.isImage)
    return seriesNumber === '' ? modality : `${modality} series ${seriesNumber}`;
  return `${object.noun.charAt(0).toUpperCase()}${object.noun.slice(1)}`;
}

/** Suffixes of model output, the longest first. */
const SUFFIX = /(?:\.nii\.gz|\.seg\.nrrd|\.nii|\.nrrd|\.nhdr|\.npy|\.npz|\.png)$/i;

/** What people call model output: the name of the file without its suffix, or of the folder that it is in. */
export function titleOfModelOutput(path: string, member: string | undefined): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== '');
  const names = [parts.at(-1)?.replace(SUFFIX, '') ?? '', parts.at(-2) ?? ''];
  const title = names.find(isName) ?? 'Model output';
  return member === undefined ? title : `${title}: ${member}`;
}
