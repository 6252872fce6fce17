import type { TaskContext } from '../../workers/serveTasks.ts';
import { readCoco } from './cocoFormat.ts';
import { readCsv } from './csvFormat.ts';
import { FormatReading, transferReading } from './formatReading.ts';
import type { MarkTextImport, ReadFormatInput, ReadFormatOutput } from './formatTasks.ts';
import { readGeoJson } from './geoJsonFormat.ts';
import { readJsonExport } from './jsonFormat.ts';

const READERS: Readonly<Record<MarkTextImport, (body: Uint8Array, reading: FormatReading) => void>> = {
  json: readJsonExport,
  csv: readCsv,
  coco: readCoco,
  geojson: readGeoJson,
};

/** Implements `readFormatTask`. Throws `invalid_json` if the body is not of the format. */
export async function readFormat(
  { format, body }: ReadFormatInput,
  context: Pick<TaskContext, 'transfer' | 'throwIfCancelled'>,
): Promise<ReadFormatOutput> {
  const { Check, Errors } = await import('typebox/value');
  const reading = new FormatReading({ Check, Errors }, context);
  READERS[format](body, reading);
  return transferReading(reading, context);
}
