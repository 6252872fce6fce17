import type { MarkTextFormat, MarkTextImport } from '../../../../shared/markFormats.ts';
import type { FormatReading } from './formatReading.ts';
import type { WriteFormatInput } from './formatTasks.ts';

export type TextFormat = {
  /** What is before, between and after the parts that tasks write; absent: nothing. */
  readonly around?: readonly [before: string, between: string, after: string];
  /** The marks of one part. */
  readonly write?: () => Promise<(input: WriteFormatInput) => Generator<string, void>>;
  /** Throws `invalid_json` if the body is not of the format. */
  readonly read?: () => Promise<(body: Uint8Array, reading: FormatReading) => void>;
};

/** What reads and writes the formats that are texts. The code is loaded by the threads that run it. */
export const TEXT_FORMATS = {
  csv: {
    write: async () => (await import('./csvFormat.ts')).writeMarkCsv,
    read: async () => (await import('./csvFormat.ts')).readCsv,
  },
  coco: {
    // Images and categories come last, because they are numbered while their annotations are written.
    around: ['{"info":{"description":"negato marks"},"annotations":[\n', ',\n', ''],
    write: async () => (await import('./cocoFormat.ts')).writeCocoAnnotations,
    read: async () => (await import('./cocoFormat.ts')).readCoco,
  },
  geojson: {
    around: ['{"type":"FeatureCollection","features":[\n', ',\n', '\n]}\n'],
    write: async () => (await import('./geoJsonFormat.ts')).writeGeoJsonFeatures,
    read: async () => (await import('./geoJsonFormat.ts')).readGeoJson,
  },
  json: { read: async () => (await import('./jsonFormat.ts')).readJsonExport },
} as const satisfies Readonly<Record<MarkTextFormat, Required<Pick<TextFormat, 'write'>> & TextFormat>> &
  Readonly<Record<MarkTextImport, Required<Pick<TextFormat, 'read'>> & TextFormat>>;

export function aroundOf(format: MarkTextFormat): NonNullable<TextFormat['around']> {
  const { around = ['', '', ''] }: TextFormat = TEXT_FORMATS[format];
  return around;
}
