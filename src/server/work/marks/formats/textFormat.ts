import type { MarkTextFormat, MarkTextImport } from '../../../../shared/markFormats.ts';
import type { FormatReading } from './formatReading.ts';
import type { WriteFormatInput } from './formatTasks.ts';

/** What `text/NAME.ts` exports for the format of that name. */
type TextFormat = {
  /** The marks of one part. */
  readonly write: (input: WriteFormatInput) => Generator<string, void>;
  /** Throws `invalid_json` if the body is not of the format. */
  readonly read: (body: Uint8Array, reading: FormatReading) => void;
};

export async function loadWriter(format: MarkTextFormat): Promise<TextFormat['write']> {
  const { write }: Pick<TextFormat, 'write'> = await import(`./text/${format}.ts`);
  return write;
}

export async function loadReader(format: MarkTextImport): Promise<TextFormat['read']> {
  const { read }: Pick<TextFormat, 'read'> = await import(`./text/${format}.ts`);
  return read;
}
