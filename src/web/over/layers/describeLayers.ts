import type { LayerRecord } from '../../kit/state/attachments.ts';
import { describeSeries, fileName, formatCount } from '../../show/series/describeFile.ts';
import type { LayerWords } from './layerClient.ts';
import { findClient } from './layerClients.ts';

/** Several layers often have the same name; the file name is then added. */
export function nameLayer(file: LayerRecord, among: readonly LayerRecord[]): string {
  const name = titleOf(file);
  const isAlone = among.every((other) => other === file || titleOf(other) !== name);
  return isAlone ? name : `${name} (${fileName(file)})`;
}

function titleOf(file: LayerRecord): string {
  return 'attachment' in file ? file.title : describeSeries(file);
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
