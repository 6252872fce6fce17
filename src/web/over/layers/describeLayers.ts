import type { LayerRecord } from '../../kit/state/attachments.ts';
import { isName } from '../../../shared/layerTitle.ts';
import { fileName, formatCount, nameLayerOfFile } from '../../show/series/describeFile.ts';
import type { LayerWords } from './layerClient.ts';
import { findClient } from './layerClients.ts';

/** Several layers often have the same name; what tells them apart is then added. */
export function nameLayer(file: LayerRecord, among: readonly LayerRecord[]): string {
  const name = titleOf(file);
  const same = among.filter((other) => titleOf(other) === name);
  if (same.every((other) => other === file)) return name;
  const others = same.filter((other) => other !== file);
  const isTelling = (of: (one: LayerRecord) => string | undefined) =>
    of(file) !== undefined && others.every((other) => of(other) !== of(file));
  return `${name} (${DISTINCTIONS.find(isTelling)?.(file) ?? same.indexOf(file) + 1})`;
}

const DISTINCTIONS: readonly ((file: LayerRecord) => string | undefined)[] = [
  (file) => ('attachment' in file || file.series_number === '' ? undefined : `series ${file.series_number}`),
  (file) => ('attachment' in file || file.instance_number === '' ? undefined : `#${file.instance_number}`),
  (file) => (isName(fileName(file)) ? fileName(file) : undefined),
];

function titleOf(file: LayerRecord): string {
  return 'attachment' in file ? file.title : nameLayerOfFile(file);
}

/** Example: `2 segmentations`, or `3 layers` if they are of several sorts. */
export function countLayers(files: readonly LayerRecord[]): string {
  return formatCount(files.length, commonWord(files, 'layer') ?? 'layer');
}

/** What the parts of these layers are called, in the plural. */
export function nameParts(files: readonly LayerRecord[]): string {
  return `${commonWord(files, 'part') ?? 'part'}s`;
}

function commonWord(files: readonly LayerRecord[], word: keyof LayerWords): string | undefined {
  const words = new Set(files.map((file) => findClient(file)?.words[word]));
  return words.size === 1 ? [...words][0] : undefined;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
