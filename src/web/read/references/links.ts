import type { FileRecord } from '../../../shared/contract/files.ts';
import type { Reference, ReferenceTarget, WireReferrer, Relationship } from '../../../shared/contract/references.ts';
import { describeScope } from '../../draw/marks/rois/frameScope.ts';
import { describeSeries, fileName, formatCount } from '../../show/series/describeFile.ts';

/** One object at the other end of a reference, with everything that is said about it. */
export type ObjectLink = {
  readonly key: string;
  readonly relationship: Relationship;
  readonly title: string;
  readonly detail: string;
  /** SOP Instance UID; for a series without named instances, its Series Instance UID. */
  readonly uid: string;
  /** Undefined: it is not among the open files. */
  readonly file: FileRecord | undefined;
  /** Frames of that file, from 0, ascending, that are named and exist. Empty: the whole file is meant. */
  readonly frames: readonly number[];
};

export type FindFile = (index: number) => FileRecord | undefined;

/**
 * Joins the references to one object with one relationship: a segmentation may name each frame of its source
 * separately.
 */
export function linksTo(references: readonly Reference[], findFile: FindFile): ObjectLink[] {
  const joined = new Map<string, Joined>();
  for (const reference of references) {
    const { relationship, target } = reference;
    const uid = target.sop_instance_uid ?? target.series_instance_uid ?? '';
    const key = `to/${relationship}/${uid}`;
    const known = joined.get(key) ?? { key, uid, reference, frames: new Set(), segments: new Set(), isWhole: false };
    joined.set(key, known);
    if (target.frame_numbers.length === 0) known.isWhole = true;
    for (const number of target.frame_numbers) known.frames.add(number);
    for (const number of target.segment_numbers) known.segments.add(number);
  }
  return [...joined.values()].flatMap((each) => toLinks(each, findFile));
}

type Joined = {
  readonly key: string;
  readonly uid: string;
  readonly reference: Reference;
  /** From 1, as declared. */
  readonly frames: Set<number>;
  readonly segments: Set<number>;
  isWhole: boolean;
};

/** An instance with several open copies has a link to each of them, because it is unknown which one is meant. */
function toLinks(joined: Joined, findFile: FindFile): ObjectLink[] {
  const { target, matches } = joined.reference;
  const isSeries = target.sop_instance_uid === null;
  if (isSeries || matches.length < 2) return [toLink(joined, findFile(matches[0]?.file_index ?? -1), '')];
  return matches.map(({ file_index }, at) => {
    const link = toLink(joined, findFile(file_index), `copy ${at + 1} of ${matches.length}`);
    return { ...link, key: `${link.key}/copy ${at + 1}` };
  });
}

function toLink(
  { key, uid, reference, frames, segments, isWhole }: Joined,
  file: FileRecord | undefined,
  copy: string,
): ObjectLink {
  const { relationship, target, matches } = reference;
  const isSeries = target.sop_instance_uid === null;
  const named = isWhole ? [] : ascending(frames).map((number) => number - 1);
  const title = isSeries ? describeWhole(file) : file === undefined ? describeMissing(target) : describeInstance(file);
  return {
    key,
    relationship,
    uid,
    file,
    title,
    detail: join(
      describeNumbers(named, segments),
      copy,
      isSeries ? formatCount(matches.length, 'file') : describePlace(file, uid),
    ),
    frames: file === undefined ? [] : named.filter((frame) => frame >= 0 && frame < file.frame_count),
  };
}

export function linksFrom(referrers: readonly WireReferrer[], findFile: FindFile): ObjectLink[] {
  return referrers.map(({ relationship, file_index, sop_instance_uid, frame_numbers, segment_numbers }) => {
    const file = findFile(file_index);
    const frames = frame_numbers.map((number) => number - 1);
    return {
      key: `from/${relationship}/${file_index}`,
      relationship,
      uid: sop_instance_uid,
      file,
      title: file === undefined ? 'Object' : describeInstance(file),
      detail: join(describeNumbers(frames, new Set(segment_numbers)), describePlace(file, sop_instance_uid)),
      // The frames are those of the file that is referred to, not of this one.
      frames: [],
    };
  });
}

function describeWhole(file: FileRecord | undefined): string {
  return file === undefined ? 'Entire series' : `Entire series ${describeSeries(file)}`;
}

/** `CT Image Storage` as `CT Image`. */
function describeMissing({ sop_class_name }: ReferenceTarget): string {
  return sop_class_name?.replace(/ Storage\b/, '') ?? 'Object';
}

/** Distinguishes it from others with the same title. */
function describePlace(file: FileRecord | undefined, uid: string): string {
  return file === undefined ? `…${uid.slice(-TAIL)}` : fileName(file);
}

function describeInstance(file: FileRecord): string {
  const instance = file.instance_number === '' ? '' : `#${file.instance_number}`;
  return join(file.modality, describeSeries(file), instance);
}

/** Number of digits at the end of a UID that differ between instances. */
const TAIL = 8;

/** Maximum number of frames or segments that are listed one by one. */
const MOST_LISTED = 12;

function describeNumbers(frames: readonly number[], segments: ReadonlySet<number>): string {
  const ofFrames =
    frames.length === 0
      ? ''
      : frames.length > MOST_LISTED
        ? formatCount(frames.length, 'frame')
        : describeScope(frames);
  const ofSegments =
    segments.size === 0
      ? ''
      : segments.size > MOST_LISTED
        ? formatCount(segments.size, 'segment')
        : `segment ${ascending(segments).join(', ')}`;
  return join(ofFrames, ofSegments);
}

function ascending(numbers: ReadonlySet<number>): number[] {
  return [...numbers].toSorted((a, b) => a - b);
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}
