import type { MarkImportFormat } from '../../../shared/contract/marks.ts';
import type { TaskContext } from '../../workers/serveTasks.ts';
import { transferSlices } from '../parseMark.ts';
import { readCoco } from './cocoFormat.ts';
import { readCsv } from './csvFormat.ts';
import { FormatReading } from './formatReading.ts';
import type { ReadFormatInput, ReadFormatOutput } from './formatTasks.ts';
import { readGeoJson } from './geoJsonFormat.ts';
import { readJsonExport } from './jsonFormat.ts';

const READERS: Readonly<Record<MarkImportFormat, (body: Uint8Array, reading: FormatReading) => void>> = {
  json: readJsonExport,
  csv: readCsv,
  coco: readCoco,
  geojson: readGeoJson,
};

/** Implements `readFormatTask`. Throws `invalid_json` if the body is not of the format. */
export async function readFormat(
  { format, body }: ReadFormatInput,
  { transfer }: Pick<TaskContext, 'transfer'>,
): Promise<ReadFormatOutput> {
  const { Check, Errors } = await import('typebox/value');
  const reading = new FormatReading({ Check, Errors });
  READERS[format](body, reading);
  const { texts, starts, large, ...rest } = reading.finish();
  return {
    ...rest,
    texts: transfer(texts),
    starts: transfer(starts),
    large: large.map(({ mark, points, slices }) => ({
      mark,
      points: transfer(points),
      slices: transferSlices(slices, transfer),
    })),
  };
}
