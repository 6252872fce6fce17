import { ViewerError } from '../../../shared/contract/errors.ts';
import { MarkBody, MarkPatch, type MarkSlice } from '../../../shared/contract/marks.ts';
import type { Static, TSchema } from '../../../shared/contract/schema.ts';
import { parseBody } from '../../machine/workers/parseBody.ts';
import type { JsonBounds } from '../../machine/workers/parseJson.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { countSlices, type MarkContent, type PackedSlices, packPoints, packMarkSlices } from './markContent.ts';

/** A list of 10,000 marks, or the classes of a scheme. They are parsed on the main thread, and more would block it. */
export const FEW_VALUES: JsonBounds = { bytes: 8 * 2 ** 20 };

/** `whole`: a body of POST or PUT. `change`: a body of PATCH. */
export type ParseMarkInput = { readonly body: Uint8Array; readonly form: 'whole' | 'change' };

/** What a body says, with its coordinates in typed arrays. */
export type ParsedMark = Omit<MarkPatch, 'points' | 'slices'> &
  Partial<Pick<MarkBody, 'kind' | 'uid'>> & {
    readonly points?: MarkContent['points'];
    readonly slices?: PackedSlices;
  };

/** A body of POST, PUT or PATCH. Throws `invalid_json`. */
export async function parseMark({ body, form }: ParseMarkInput): Promise<ParsedMark> {
  const value = parseBody(body);
  const { points, slices, ...words } = form === 'whole' ? await shape(MarkBody, value) : await shape(MarkPatch, value);
  return {
    ...words,
    ...(points !== undefined && { points: packPoints(points) }),
    ...(slices !== undefined && { slices: packMarkSlices(refuseRepeatedSlices(slices)) }),
  };
}

/** The handler of `parseMarkTask`. */
export async function parseMarkApart(input: ParseMarkInput, { transfer }: TaskContext): Promise<ParsedMark> {
  const { points, slices, ...words } = await parseMark(input);
  return {
    ...words,
    ...(points !== undefined && { points: transfer(points) }),
    ...(slices !== undefined && { slices: transferSlices(slices, transfer) }),
  };
}

export function transferSlices(slices: PackedSlices, transfer: TaskContext['transfer']): PackedSlices {
  // Those of marks without slices are shared by all of them, and stay here.
  if (countSlices(slices) === 0) return slices;
  return {
    frames: transfer(slices.frames),
    pointStarts: transfer(slices.pointStarts),
    points: transfer(slices.points),
    rectangles: transfer(slices.rectangles),
    runStarts: transfer(slices.runStarts),
    runs: transfer(slices.runs),
  };
}

/** A whole mark, with what the body leaves out as it is without it. */
export function toContent(given: ParsedMark): MarkContent {
  const { uid: _, kind, place, ...parsed } = given;
  if (kind === undefined || place === undefined) throw new ViewerError('invalid_json', 'kind and place are missing');
  return {
    kind,
    place,
    points: new Float64Array(0),
    slices: packMarkSlices([]),
    label: '',
    class: null,
    text: '',
    comment: '',
    author: '',
    locked: false,
    ...parsed,
  };
}

/** The value, if it has the shape of the schema. The message says what is wrong, and where. */
export async function shape<Schema extends TSchema>(schema: Schema, value: unknown): Promise<Static<Schema>> {
  const { Check, Errors } = await import('typebox/value');
  if (Check(schema, value)) return value;
  const [first] = Errors(schema, value);
  const where = first === undefined || first.instancePath === '' ? 'the body' : first.instancePath;
  const what = first?.keyword === 'boolean' ? 'there is no such field' : (first?.message ?? 'has another form');
  throw new ViewerError('invalid_json', `${where}: ${what}`);
}

export function refuseRepeatedSlices(slices: readonly MarkSlice[]): readonly MarkSlice[] {
  const seen = new Set<string>();
  for (const { file_index, frame_index } of slices) {
    const key = `${file_index} ${frame_index}`;
    if (seen.has(key)) {
      throw new ViewerError('invalid_mark', `slices: frame ${frame_index} of file ${file_index} is given twice`);
    }
    seen.add(key);
  }
  return slices;
}
