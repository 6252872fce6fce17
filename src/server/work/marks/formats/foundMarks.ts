import { addTo } from '../../../../shared/addTo.ts';
import type { FoundMark } from '../markEdits.ts';
import type { ImportedMarksResponse, LabelScheme, MarkPlace } from '../../../../shared/contract/marks.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { isMasked } from '../../../bytes/masking/masker.ts';
import type { WorkInTurns } from '../../../machine/workers/doInTurns.ts';
import { filesOfMark, packMarkSlices, packPoints, renumberFiles } from '../markContent.ts';
import type { MarkStore } from '../marks.ts';
import { toContent } from '../parseMark.ts';
import {
  type FileInFormat,
  MOST_REASONS,
  type ReadFormatOutput,
  type ReadMark,
  type RefusedMark,
} from './formatTasks.ts';

/** The open file that each name means; undefined if there is none, or if the name is not of one file alone. */
export function* findNamedFiles(
  named: readonly FileInFormat[],
  files: readonly DicomFile[],
  chosen: number | undefined,
): WorkInTurns<readonly (number | undefined)[]> {
  const byUid = groupPlaces(named, ({ sopInstanceUid }) => sopInstanceUid);
  const byPath = groupPlaces(named, ({ path }) => path);
  const byName = groupPlaces(named, ({ path }) => baseName(path));
  const best = named.map(() => ({ rank: 0, index: -1, count: 0 }));
  for (const [at, file] of files.entries()) {
    const { sopInstanceUid, path } = file;
    const candidates = [
      ...(byUid.get(sopInstanceUid) ?? []),
      ...(byPath.get(path) ?? []),
      ...(byName.get(baseName(path)) ?? []),
    ];
    for (const place of new Set(candidates)) {
      const rank = rankFile(named[place]!, file);
      const known = best[place]!;
      if (rank === 0 || rank < known.rank) continue;
      best[place] = { rank, index: at, count: rank === known.rank ? known.count + 1 : 1 };
    }
    if (at % 200 === 199) yield;
  }
  return named.map(({ path, sopInstanceUid }, place) => {
    if (path === '' && sopInstanceUid === '') return chosen;
    const { index, count } = best[place]!;
    return count === 1 ? index : undefined;
  });
}

/**
 * 0: it is another file. A file of the same UID is the same image, wherever it is. In a masked run a UID of another run is
 * another one, unless both have the same key; then the masked path, which is the same for the same folder, decides.
 */
function rankFile(named: FileInFormat, { sopInstanceUid, path }: DicomFile): number {
  if (named.sopInstanceUid !== '') {
    if (named.sopInstanceUid !== sopInstanceUid) return isMasked() && named.path === path ? 1 : 0;
    return named.path === path ? 4 : 3;
  }
  return named.path === path ? 2 : 1;
}

function groupPlaces(named: readonly FileInFormat[], keyOf: (file: FileInFormat) => string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [place, one] of named.entries()) {
    const key = keyOf(one);
    if (key === '') continue;
    addTo(groups, key, place);
  }
  return groups;
}

type Matches = {
  readonly indices: readonly (number | undefined)[];
  readonly files: readonly DicomFile[];
  /** Gets the marks whose files are not open. */
  readonly unplaced: RefusedMark[];
  readonly scheme: LabelScheme;
};

/** The marks of an import, each with the numbers of open files. The event loop gets a turn now and then. */
async function* listFoundMarks(
  { texts, starts, large, files: named }: ReadFormatOutput,
  { indices, files, unplaced, scheme }: Matches,
): AsyncGenerator<FoundMark, void> {
  const decoder = new TextDecoder();
  const coordinates = new Map(large.map(({ mark, points, slices }) => [mark, { points, slices }]));
  let begunMs = performance.now();
  for (let n = 0; n + 1 < starts.length; n += 1) {
    if (performance.now() - begunMs > 2) {
      await new Promise((resume) => setImmediate(resume));
      begunMs = performance.now();
    }
    const mark: ReadMark = JSON.parse(decoder.decode(texts.subarray(starts[n], starts[n + 1])));
    const { points, slices = [], ...words } = mark.body;
    const packed = coordinates.get(n) ?? { points: packPoints(points), slices: packMarkSlices(slices) };
    const read = toContent({ ...words, ...packed });
    const missing = filesOfMark(read).find((place) => indices[place] === undefined);
    if (missing !== undefined) {
      unplaced.push({ mark: mark.name, reason: explainMissing(named[missing]) });
      continue;
    }
    const content = renumberFiles(read, (place) => indices[place] ?? 0);
    const { uid, createdAtMs, modifiedAtMs, labelClass, name } = mark;
    // A program that knows classes by their titles has no keys.
    const sameTitle = labelClass && scheme.classes.find(({ title }) => title === labelClass.title);
    const isNamed = labelClass !== undefined && labelClass.key === labelClass.title && content.class === labelClass.key;
    yield {
      name,
      uid,
      createdAtMs,
      modifiedAtMs,
      labelClass: isNamed && sameTitle !== undefined ? undefined : labelClass,
      content: {
        ...content,
        place: mark.isAnywhere === true ? toPlaceIn(files, content.place) : content.place,
        class: isNamed && sameTitle !== undefined ? sameTitle.key : content.class,
      },
    };
  }
}

/** On the only frame, unless the file is a slide. */
function toPlaceIn(files: readonly DicomFile[], place: MarkPlace): MarkPlace {
  if (place.type !== 'slide' || files[place.file_index]?.placement?.slide !== undefined) return place;
  return { type: 'frame', file_index: place.file_index, frame_index: 0 };
}

function explainMissing(named: FileInFormat | undefined): string {
  const { path = '', sopInstanceUid = '' } = named ?? {};
  if (path === '' && sopInstanceUid === '') return 'it names no image: say which file it is on, with file=N';
  return sopInstanceUid === ''
    ? `no open file, or several, have the name ${JSON.stringify(path.slice(0, 200))}`
    : `no open file, or several, have the SOP Instance UID ${JSON.stringify(sopInstanceUid.slice(0, 64))}`;
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? '';
}

export type ImportedMarks = ImportedMarksResponse & { readonly durability: 'kept' | 'memory' };

type AdoptContext = {
  readonly marks: Pick<MarkStore, 'adopt' | 'scheme'>;
  readonly files: readonly DicomFile[];
  /** The open file that each named file is. */
  readonly indices: readonly (number | undefined)[];
};

/** Makes the marks that were found in a file. Those that cannot be made are listed. */
export async function adoptFoundMarks(
  found: ReadFormatOutput,
  { marks, files, indices }: AdoptContext,
): Promise<ImportedMarks> {
  const unplaced: RefusedMark[] = [];
  const { refused, durability, ...adopted } = await marks.adopt(
    listFoundMarks(found, { indices, files, unplaced, scheme: marks.scheme().scheme }),
  );
  const renamed = found.files.filter(({ sopInstanceUid }, place) => {
    const file = files[indices[place] ?? -1];
    return file !== undefined && sopInstanceUid !== '' && sopInstanceUid !== file.sopInstanceUid;
  });
  const otherUids = `UIDs of files, which another key has masked: the files were found by their masked paths: ${renamed.length}`;
  const reasons = [...found.reasons, ...unplaced, ...refused];
  return {
    ...adopted,
    durability,
    refused: found.refused + unplaced.length + refused.length,
    reasons: reasons.slice(0, MOST_REASONS),
    left_out: renamed.length === 0 ? [...found.leftOut] : [...found.leftOut, otherUids],
  };
}
