import { ViewerError } from '../../../../../shared/contract/errors.ts';
import { LabelClass } from '../../../../../shared/contract/marks.ts';
import { type FormatReading, splitFormat } from '../formatReading.ts';

export { readJsonExport as read };

type Json = Readonly<Record<string, unknown>>;

/** The export of this program, which has the form of its journal. */
function readJsonExport(body: Uint8Array, reading: FormatReading): void {
  const marks = splitFormat(body).items('marks');
  if (marks === undefined) {
    throw new ViewerError('invalid_json', 'the file is no export of marks: it has no list marks');
  }
  let n = 0;
  for (const given of marks) {
    const name = `mark ${n}`;
    n += 1;
    reading.attempt(name, () => {
      const {
        uid,
        created_at_ms: created,
        modified_at_ms: modified,
        files,
        label_class: labelClass,
        mark,
      }: Json = Object(given);
      const named: readonly unknown[] = Array.isArray(files) ? files : [];
      const { place, slices, ...words }: Json = Object(mark);
      const renumber = (address: unknown) => {
        const found: Json = Object(address);
        const { path, sopInstanceUid }: Json = Object(named[Number(found['file_index'])]);
        if (typeof path !== 'string' || typeof sopInstanceUid !== 'string') {
          throw new ViewerError('invalid_mark', 'it names a file that the export does not describe');
        }
        return { ...found, file_index: reading.placeOfFile(path, sopInstanceUid) };
      };
      const { from, to }: Json = Object(place);
      const isStack = from !== undefined;
      reading.add({
        name,
        uid: typeof uid === 'string' ? uid : undefined,
        createdAtMs: typeof created === 'number' ? created : undefined,
        modifiedAtMs: typeof modified === 'number' ? modified : undefined,
        labelClass: reading.isValid(LabelClass, labelClass) ? labelClass : undefined,
        body: {
          ...words,
          place: isStack ? { ...Object(place), from: renumber(from), to: renumber(to) } : renumber(place),
          slices: Array.isArray(slices) ? slices.map(renumber) : [],
        },
      });
    });
  }
}
