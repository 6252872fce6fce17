import { dirname } from 'node:path';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { addTo } from '../../../shared/addTo.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { isHarmful } from '../../machine/workers/taskErrors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { type AuditContext, type AuditRun, type AuditPart, waitUntilFree, workAhead } from './auditWork.ts';
import { digestFileTask, type FileDigests } from './digestTask.ts';
import { countWords, type FindingList, listFoundFiles, seriesUnit, someTexts, toFinding } from './finding.ts';

/** Files with one UID that are compared. */
const MOST_ALIKE = 64;
/** Folders of a series that are named. */
const MOST_FOLDERS = 20;
/** Tasks at a time. */
const AHEAD = 2;

/** Files that are there more than once. */
export const findDuplicates: AuditPart = async (context, run, found) => {
  const groups = await doInTurns(groupFiles(context, run, found), run.signal);
  await compareGroups(context, run, { groups, found });
  return groups.every((group) => group.length <= MOST_ALIKE);
};

type Groups = readonly (readonly DicomFile[])[];

/** Files with one SOP Instance UID, and series in several folders. */
function* groupFiles(
  { catalog, references }: AuditContext,
  { files }: AuditRun,
  list: FindingList,
): WorkInTurns<Groups> {
  const known = new Set<string>();
  const groups: DicomFile[][] = [];
  const series = new Map<string, { readonly of: DicomFile[]; readonly folders: Set<string> }>();
  for (const file of files) {
    const { sopInstanceUid, studyInstanceUid, seriesInstanceUid, path } = file;
    const alike = sopInstanceUid === '' ? [] : references.instances.find(sopInstanceUid);
    if (alike.length > 1 && !known.has(sopInstanceUid)) {
      known.add(sopInstanceUid);
      groups.push(alike.slice(0, MOST_ALIKE + 1).flatMap((index) => catalog.files[index] ?? []));
    }
    if (seriesInstanceUid !== '') {
      const id = `${studyInstanceUid}/${seriesInstanceUid}`;
      const found = series.get(id) ?? { of: [], folders: new Set() };
      series.set(id, found);
      const folder = dirname(path);
      if (found.folders.size < MOST_FOLDERS && !found.folders.has(folder)) {
        found.folders.add(folder);
        // One of each folder.
        found.of.push(file);
      }
    }
    yield;
  }
  for (const { of, folders } of series.values()) {
    yield;
    if (folders.size < 2) continue;
    list.add(
      toFinding({
        code: 'series_in_folders',
        unit: seriesUnit(of[0]!),
        files: listFoundFiles(of),
        count: folders.size,
        message: `the series is in ${folders.size === MOST_FOLDERS ? `${MOST_FOLDERS} or more` : folders.size} folders`,
        values: { folders: someTexts(folders, MOST_FOLDERS) },
      }),
    );
  }
  return groups;
}

async function digest(
  { tasks, catalog }: AuditContext,
  file: DicomFile,
  { isWhole, signal }: { readonly isWhole: boolean; readonly signal: AbortSignal },
): Promise<FileDigests | undefined> {
  await catalog.whenRead([file.index]);
  const options = { of: file, signal, priority: 'prefetch', isAwaited: true } as const;
  try {
    return await waitUntilFree(signal, () => tasks.run(digestFileTask, { source: file.source, isWhole }, options));
  } catch (error) {
    if (signal.aborted || !(isHarmful(error) || error instanceof ViewerError)) throw error;
    return undefined;
  }
}

async function compareGroups(
  context: AuditContext,
  { signal, onProgress }: AuditRun,
  { groups, found }: { readonly groups: Groups; readonly found: FindingList },
): Promise<void> {
  const all = groups.flatMap((group) => group.slice(0, MOST_ALIKE).map((file) => ({ file, group })));
  const digests = new Map<DicomFile, FileDigests>();
  let done = 0;
  for await (const { item, result } of workAhead(all, AHEAD, ({ file }) =>
    digest(context, file, { isWhole: true, signal }),
  )) {
    if (result !== undefined) digests.set(item.file, result);
    done += 1;
    onProgress({ doing: 'copies', done, total: all.length });
  }
  await doInTurns(compareAllGroups(groups, digests, found), signal);
}

function* compareAllGroups(
  groups: Groups,
  digests: ReadonlyMap<DicomFile, FileDigests>,
  found: FindingList,
): WorkInTurns<void> {
  for (const group of groups) {
    yield;
    compareGroup(group, digests, found);
  }
}

/** Files with one UID: those with the same bytes are copies, and others say different things under one name. */
function compareGroup(
  group: readonly DicomFile[],
  digests: ReadonlyMap<DicomFile, FileDigests>,
  list: FindingList,
): void {
  const byBytes = new Map<string, DicomFile[]>();
  const pixels = new Set<string>();
  for (const file of group) {
    const found = digests.get(file);
    if (found?.whole === undefined) continue;
    addTo(byBytes, found.whole, file);
    pixels.add(found.pixels ?? '');
  }
  for (const copies of byBytes.values()) {
    if (copies.length < 2) continue;
    list.add(
      toFinding({
        code: 'duplicate_file',
        unit: seriesUnit(copies[0]!),
        files: listFoundFiles(copies),
        count: copies.length,
        message: `${copies.length} files are the same, byte by byte`,
        values: { sop_instance_uid: copies[0]!.sopInstanceUid },
      }),
    );
  }
  if (byBytes.size > 1) {
    const different = [...byBytes.values()].map(([first]) => first!);
    const samePixels = pixels.size === 1 && !pixels.has('');
    const what = samePixels ? 'the same stored pixels, and other bytes' : 'different content';
    list.add(
      toFinding({
        code: 'duplicate_uid',
        unit: seriesUnit(different[0]!),
        files: listFoundFiles(different),
        count: different.length,
        message: `${countWords(different.length, 'file')} with one SOP Instance UID have ${what}`,
        values: { sop_instance_uid: different[0]!.sopInstanceUid, has_same_pixels: samePixels },
      }),
    );
  }
}

/** Files with different UIDs and the same stored pixels. All of them are read. */
export const findEqualPixels: AuditPart = async (context, run, list) => {
  const { signal, onProgress } = run;
  const files = run.files.filter(({ hasPixels }) => hasPixels);
  const byPixels = new Map<string, DicomFile[]>();
  let done = 0;
  for await (const { item, result } of workAhead(files, AHEAD, (file) =>
    digest(context, file, { isWhole: false, signal }),
  )) {
    if (result?.pixels !== undefined) addTo(byPixels, result.pixels, item);
    done += 1;
    onProgress({ doing: 'pixels of all files', done, total: files.length });
  }
  for (const alike of byPixels.values()) {
    const uids = new Set(alike.map(({ sopInstanceUid }) => sopInstanceUid));
    if (uids.size < 2) continue;
    list.add(
      toFinding({
        code: 'duplicate_pixels',
        unit: seriesUnit(alike[0]!),
        files: listFoundFiles(alike),
        count: alike.length,
        message: `${alike.length} files with ${uids.size} SOP Instance UIDs have the same stored pixels`,
        values: { uids: uids.size },
      }),
    );
  }
  return true;
};
