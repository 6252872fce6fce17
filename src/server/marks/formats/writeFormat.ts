import { encodeTexts } from '../../workers/jsonPieces.ts';
import type { TaskContext } from '../../workers/serveTasks.ts';
import { writeCocoAnnotations } from './cocoFormat.ts';
import { writeMarkCsv } from './csvFormat.ts';
import type { MarkTextFormat, WriteFormatInput } from './formatTasks.ts';
import { writeGeoJsonFeatures } from './geoJsonFormat.ts';

const WRITERS: Readonly<Record<MarkTextFormat, (input: WriteFormatInput) => Generator<string, void>>> = {
  csv: writeMarkCsv,
  coco: writeCocoAnnotations,
  geojson: writeGeoJsonFeatures,
};

/** Implements `writeFormatTask`. */
export function writeFormat(input: WriteFormatInput, { transfer }: Pick<TaskContext, 'transfer'>) {
  return transfer(encodeTexts(WRITERS[input.format](input)));
}
