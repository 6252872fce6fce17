import type { FileRecord } from '../../../shared/contract/files.ts';
import { describeSeries, fileName, formatCount } from '../../show/series/describeFile.ts';
import type { LayerWords } from './layerClient.ts';
import { findClient } from './layerClients.ts';

/** Several layers often have the same name; the file name is then added. */
export function nameLayer(file: FileRecord, among: readonly FileRecord[]): string {
  const name = describeSeries(file);
  const isAlone = among.every((other) => other === file || describeSeries(other) !== name);
  return isAlone ? name : `${name} (${fileName(file)})`;
}

/** Example: `2 segmentations`, or `3 layers` if they are of several sorts. */
export function countLayers(files: readonly FileRecord[]): string {
  return formatCount(files.length, commonWord(files, 'layer') ?? 'layer');
}

/** What the parts of these layers are called, in the plural. */
export function nameParts(files: readonly FileRecord[]): string {
  return `${commonWord(files, 'part') ?? 'part'}s`;
}

function commonWord(files: readonly FileRecord[], word: keyof LayerWords): string | undefined {
  const words = new Set(files.map((file) => findClient(file)?.words[word]));
  return words.size === 1 ? [...words][0] : undefined;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
