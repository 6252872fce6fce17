import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { findDictionaryEntry } from '../../standard/dicom/dictionary.ts';
import { toTextElement } from '../../standard/dicom/dicomJson.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { isPassingFailure } from '../../machine/workers/passingFailure.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type AttributeMatch, matchesValues } from './attributeMatch.ts';
import { readRecordsTask } from './dicomwebTasks.ts';
import type { SearchQuery } from './parseSearch.ts';
import type { SeriesNode, StudyNode } from './studyTree.ts';

export type SearchLevel = 'study' | 'series' | 'instance';

/** One result: a study, a series or an instance. The first of its files stands for it. */
type Entry = {
  readonly study: StudyNode;
  readonly series: SeriesNode;
  readonly file: DicomFile;
};

export type SearchInput = {
  readonly level: SearchLevel;
  /** The series to search in. */
  readonly series: Iterable<SeriesNode>;
  /** Whether the path names the study and the series, whose attributes are then not repeated. */
  readonly isStudyGiven: boolean;
  readonly isSeriesGiven: boolean;
  readonly query: SearchQuery;
  /** The address of the service, as the client knows it. */
  readonly root: string;
  readonly signal: AbortSignal;
};

export type SearchContext = { readonly catalog: Pick<Catalog, 'files'>; readonly tasks: TaskRunner };

/** Files whose headers are read by one task. */
const BATCH = 64;

/** The matching studies, series or instances as JSON, in the order of the walk, each when it is wanted. */
export async function* search(context: SearchContext, input: SearchInput): AsyncGenerator<string, void> {
  const { query, level } = input;
  const { here, inFile } = splitMatches(query.matches, level);
  const found = await doInTurns(listEntries(context, input, here), input.signal);
  // What no header has to be read for is skipped without reading it.
  const isDecided = inFile.length === 0;
  const entries = isDecided ? found.slice(query.offset, query.offset + query.limit) : found;
  let toSkip = isDecided ? 0 : query.offset;
  let left = query.limit;
  const read = (from: number) => readBatch(context, input, entries.slice(from, from + BATCH), inFile, from > 0);
  let next = left > 0 && entries.length > 0 ? read(0) : undefined;
  for (let from = BATCH; next !== undefined; from += BATCH) {
    const records = await next;
    // The next batch is read while this one is sent.
    next = from < entries.length ? read(from) : undefined;
    next?.catch(() => undefined);
    for (const record of records) {
      if (record === undefined) continue;
      if (toSkip > 0) {
        toSkip -= 1;
        continue;
      }
      if (left === 0) return;
      left -= 1;
      yield record;
    }
  }
}

function* listEntries(
  { catalog }: SearchContext,
  { level, series }: SearchInput,
  matches: readonly FieldMatch[],
): WorkInTurns<Entry[]> {
  const entries: Entry[] = [];
  const studies = new Set<StudyNode>();
  const ofStudies: KnownMatches = new Map(matches.map((match) => [match, new Map()]));
  for (const node of series) {
    const { study } = node;
    const files = level === 'instance' ? node.files : node.files.slice(0, 1);
    if (level === 'study' && studies.has(study)) continue;
    studies.add(study);
    for (const index of files) {
      yield;
      const entry = { study, series: node, file: catalog.files[index]! };
      let isWanted = true;
      for (const match of matches) {
        if (!(yield* matchesEntry({ catalog, level, ofStudies }, entry, match))) {
          isWanted = false;
          break;
        }
      }
      if (isWanted) entries.push(entry);
    }
  }
  return entries;
}

/** A match that the catalog decides. */
type FieldMatch = AttributeMatch & { readonly field: MatchedField };

type MatchedField = { readonly level: SearchLevel; readonly read: (file: DicomFile) => string };

/** What the catalog knows of every file, with the level that it belongs to. */
const FIELDS: ReadonlyMap<number, MatchedField> = new Map<number, MatchedField>([
  [Tag.PatientID, { level: 'study', read: (file) => file.patientId }],
  [Tag.PatientName, { level: 'study', read: (file) => file.patientName }],
  [Tag.StudyInstanceUID, { level: 'study', read: (file) => file.studyInstanceUid }],
  [Tag.StudyDate, { level: 'study', read: (file) => file.studyDate }],
  [Tag.StudyDescription, { level: 'study', read: (file) => file.studyDescription }],
  [Tag.SeriesInstanceUID, { level: 'series', read: (file) => file.seriesInstanceUid }],
  [Tag.SeriesNumber, { level: 'series', read: (file) => file.seriesNumber }],
  [Tag.SeriesDescription, { level: 'series', read: (file) => file.seriesDescription }],
  [Tag.Modality, { level: 'series', read: (file) => file.modality }],
  [Tag.SOPInstanceUID, { level: 'instance', read: (file) => file.sopInstanceUid }],
  [Tag.SOPClassUID, { level: 'instance', read: (file) => file.sopClassUid }],
  [Tag.InstanceNumber, { level: 'instance', read: (file) => file.instanceNumber }],
]);

const MODALITIES_IN_STUDY = 0x00080061;
const SOP_CLASSES_IN_STUDY = 0x00080062;
const INSTANCE_AVAILABILITY = 0x00080056;
const RETRIEVE_URL = 0x00081190;
const AVAILABLE_TRANSFER_SYNTAX = 0x00083002;
const SERIES_OF_STUDY = 0x00201206;
const INSTANCES_OF_STUDY = 0x00201208;
const INSTANCES_OF_SERIES = 0x00201209;

/** Attributes of a search that are in no file. */
const COMPUTED: ReadonlySet<number> = new Set([
  INSTANCE_AVAILABILITY,
  RETRIEVE_URL,
  AVAILABLE_TRANSFER_SYNTAX,
  SERIES_OF_STUDY,
  INSTANCES_OF_STUDY,
  INSTANCES_OF_SERIES,
]);

function splitMatches(matches: readonly AttributeMatch[], level: SearchLevel) {
  const here: FieldMatch[] = [];
  const inFile: AttributeMatch[] = [];
  for (const match of matches) {
    const [tag = 0, ...inner] = match.path;
    if (match.values.includes('')) continue;
    // It would silently select everything.
    if (COMPUTED.has(tag))
      throw new ViewerError(
        'invalid_query',
        `${findDictionaryEntry(tag)?.keyword ?? 'this attribute'} cannot be searched for`,
      );
    const field = inner.length === 0 ? findField(tag) : undefined;
    if (field === undefined) inFile.push(match);
    else here.push({ ...match, field });
  }
  return { here, inFile, level };
}

function findField(tag: number): MatchedField | undefined {
  if (tag === MODALITIES_IN_STUDY) return { level: 'series', read: (file) => file.modality };
  if (tag === SOP_CLASSES_IN_STUDY) return { level: 'instance', read: (file) => file.sopClassUid };
  return FIELDS.get(tag);
}

const DEPTH: Readonly<Record<SearchLevel, number>> = { study: 0, series: 1, instance: 2 };

/** Whether a study matches what is the same for all of its series and instances, which is found out once. */
type KnownMatches = ReadonlyMap<FieldMatch, Map<StudyNode, boolean>>;

type MatchContext = {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly level: SearchLevel;
  readonly ofStudies: KnownMatches;
};

/** An attribute of a lower level matches a study or series that has it in any of its files. */
function* matchesEntry(
  { catalog, level, ofStudies }: MatchContext,
  { study, series, file }: Entry,
  match: FieldMatch,
): WorkInTurns<boolean> {
  const { field, path } = match;
  const isOfStudy = path[0] === MODALITIES_IN_STUDY || path[0] === SOP_CLASSES_IN_STUDY;
  if (!isOfStudy && DEPTH[field.level] <= DEPTH[level]) return matchesValues(valuesOf(field.read(file)), match);
  if (!isOfStudy) return yield* matchesAny(catalog, level === 'study' ? study.series.values() : [series], match);
  const known = ofStudies.get(match)?.get(study);
  if (known !== undefined) return known;
  const isMatch = yield* matchesAny(catalog, study.series.values(), match);
  ofStudies.get(match)?.set(study, isMatch);
  return isMatch;
}

function* matchesAny(
  catalog: Pick<Catalog, 'files'>,
  all: Iterable<SeriesNode>,
  match: FieldMatch,
): WorkInTurns<boolean> {
  const { field } = match;
  for (const node of all) {
    const files = field.level === 'series' ? node.files.slice(0, 1) : node.files;
    for (const index of files) {
      yield;
      if (matchesValues(valuesOf(field.read(catalog.files[index]!)), match)) return true;
    }
  }
  return false;
}

function valuesOf(text: string): readonly string[] {
  return text === '' ? [] : [text];
}

/** PS3.18 tables 10.6.3-3 to 10.6.3-5, and the descriptions, which every list of studies shows. */
const WANTED: Readonly<Record<SearchLevel, readonly number[]>> = {
  study: [
    Tag.StudyDate,
    Tag.StudyTime,
    Tag.AccessionNumber,
    Tag.ReferringPhysicianName,
    Tag.StudyDescription,
    Tag.PatientName,
    Tag.PatientID,
    Tag.PatientBirthDate,
    Tag.PatientSex,
    Tag.StudyInstanceUID,
    Tag.StudyID,
  ],
  series: [
    Tag.Modality,
    Tag.SeriesDescription,
    Tag.SeriesInstanceUID,
    Tag.SeriesNumber,
    0x00400244, // Performed Procedure Step Start Date
    0x00400245, // Performed Procedure Step Start Time
  ],
  instance: [Tag.SOPClassUID, Tag.SOPInstanceUID, Tag.InstanceNumber],
};

/** Sent if a file has them, because not every object can. */
const IF_PRESENT: Readonly<Record<SearchLevel, readonly number[]>> = {
  study: [Tag.TimezoneOffsetFromUTC],
  series: [Tag.TimezoneOffsetFromUTC, 0x00400275],
  instance: [Tag.Rows, Tag.Columns, Tag.BitsAllocated, Tag.NumberOfFrames],
};

/**
 * The records of some entries. When the answer has begun, it can no longer fail: an object that cannot be read is then listed by
 * what the catalog knows of it, and the others as usual.
 */
async function readBatch(
  context: SearchContext,
  input: SearchInput,
  entries: readonly Entry[],
  matches: readonly AttributeMatch[],
  hasBegun: boolean,
): Promise<(string | undefined)[]> {
  try {
    return await readTogether(context, input, entries, matches);
  } catch (error) {
    const [only, ...others] = entries;
    if (input.signal.aborted || only === undefined) throw error;
    // A server that is only busy, or has a bug, says so as long as it can.
    if (!hasBegun && (!(error instanceof ViewerError) || isPassingFailure(error))) throw error;
    if (others.length === 0) return [writeUnavailable(only.file, computeElements(only, listLevels(input), input.root))];
    const half = Math.ceil(entries.length / 2);
    return [
      ...(await readBatch(context, input, entries.slice(0, half), matches, hasBegun)),
      ...(await readBatch(context, input, entries.slice(half), matches, hasBegun)),
    ];
  }
}

/** The record of an object that cannot be read: what the catalog knows, and that it is not available (PS3.3 C.4.23.1.1). */
export function writeUnavailable(file: DicomFile, more: ReadonlyMap<number, string> = new Map()): string {
  const elements = new Map([
    ...more,
    [INSTANCE_AVAILABILITY, toTextElement('CS', ['UNAVAILABLE'])],
    [Tag.PatientID, toTextElement('LO', valuesOf(file.patientId))],
    ...[Tag.SOPClassUID, Tag.SOPInstanceUID, Tag.StudyInstanceUID, Tag.SeriesInstanceUID].map(
      (tag) => [tag, toTextElement('UI', valuesOf(FIELDS.get(tag)?.read(file) ?? ''))] as const,
    ),
  ]);
  const members = [...elements].toSorted(([one], [other]) => one - other);
  return `{${members.map(([tag, element]) => `"${tag.toString(16).toUpperCase().padStart(8, '0')}":${element}`).join(',')}}`;
}

async function readTogether(
  { tasks }: SearchContext,
  wish: SearchInput,
  entries: readonly Entry[],
  matches: readonly AttributeMatch[],
): Promise<(string | undefined)[]> {
  const { level, query, root, signal } = wish;
  const levels = listLevels(wish);
  const include = query.include === 'all' ? [] : query.include;
  const universal = query.matches.flatMap(({ path }) => path[0] ?? []);
  const files = entries.map((entry) => ({
    source: entry.file.source,
    address: instanceAddress(root, entry.file),
    more: computeElements(entry, levels, root),
  }));
  const input = {
    files,
    wanted: [
      ...levels.flatMap((each) => WANTED[each]),
      // The keys by which the result is requested.
      ...(level === 'study' ? [] : [Tag.StudyInstanceUID]),
      ...(level === 'instance' ? [Tag.SeriesInstanceUID] : []),
    ],
    shown: [...levels.flatMap((each) => IF_PRESENT[each]), ...include, ...universal],
    isAllWanted: query.include === 'all',
    matches,
  };
  return tasks.run(readRecordsTask, input, { of: entries.map(({ file }) => file), signal });
}

/** The levels whose attributes a result has. */
function listLevels({ level, isStudyGiven, isSeriesGiven }: SearchInput): readonly SearchLevel[] {
  const levels: SearchLevel[] = [level];
  if (level === 'instance' && !isSeriesGiven) levels.push('series');
  if (level !== 'study' && !isStudyGiven) levels.push('study');
  return levels;
}

export function instanceAddress(root: string, file: DicomFile): string {
  const { studyInstanceUid, seriesInstanceUid, sopInstanceUid } = file;
  return `${root}/studies/${studyInstanceUid}/series/${seriesInstanceUid}/instances/${sopInstanceUid}`;
}

function computeElements(
  { study, series, file }: Entry,
  levels: readonly SearchLevel[],
  root: string,
): ReadonlyMap<number, string> {
  const more = new Map<number, string>();
  const ofStudy = `${root}/studies/${study.uid}`;
  if (levels.includes('study')) {
    // A viewer was seen to fail on a study without a modality.
    const modalities = study.modalities.size === 0 ? ['OT'] : [...study.modalities];
    more.set(MODALITIES_IN_STUDY, toTextElement('CS', modalities));
    more.set(SERIES_OF_STUDY, toTextElement('IS', [study.series.size]));
    more.set(INSTANCES_OF_STUDY, toTextElement('IS', [countInstances(study)]));
    more.set(RETRIEVE_URL, toTextElement('UR', [ofStudy]));
  }
  if (levels.includes('series')) {
    more.set(INSTANCES_OF_SERIES, toTextElement('IS', [series.files.length]));
    more.set(RETRIEVE_URL, toTextElement('UR', [`${ofStudy}/series/${series.uid}`]));
  }
  if (levels.includes('instance')) {
    more.set(RETRIEVE_URL, toTextElement('UR', [instanceAddress(root, file)]));
    more.set(
      AVAILABLE_TRANSFER_SYNTAX,
      toTextElement('UI', file.transferSyntaxUid === '' ? [] : [file.transferSyntaxUid]),
    );
    // It may be only in the file meta information.
    more.set(Tag.SOPInstanceUID, toTextElement('UI', [file.sopInstanceUid]));
    more.set(Tag.SOPClassUID, toTextElement('UI', file.sopClassUid === '' ? [] : [file.sopClassUid]));
  }
  more.set(INSTANCE_AVAILABILITY, toTextElement('CS', ['ONLINE']));
  return more;
}

function countInstances({ series }: StudyNode): number {
  let count = 0;
  for (const { files } of series.values()) count += files.length;
  return count;
}
