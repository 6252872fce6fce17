import { addTo } from '../../../../shared/addTo.ts';
import type { Rgb } from '../../../../shared/cielab.ts';
import { colorOfSegment, paletteColor, type SegmentColorSource } from '../../../../shared/segmentColor.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { FileReferences } from '../../../images/references/references.ts';
import type { OverlayEligibility } from '../../../images/semantics/semantics.ts';
import { listAt } from '../../../images/references/ragged.ts';
import {
  type FrameMappings,
  MAPPING_METHODS,
  MAPPING_REASONS,
  MAPPING_STATUSES,
  REASON_CODES,
} from './frameMappings.ts';
import type { SegmentationRecord, SegmentDescription } from './segmentationRecord.ts';
import type { OverlayPaint, SampleMeaning } from './segmentationTasks.ts';

export type ShownSegment = SegmentDescription & {
  readonly sort: 'segment';
  readonly color: Rgb;
  readonly colorSource: SegmentColorSource;
};

/** A segmentation and the open files from which it was made. */
export type SegmentationContext = {
  readonly kind: 'segmentation';
  readonly record: SegmentationRecord;
  readonly segments: readonly ShownSegment[];
  /** The open files that it references. */
  readonly sources: readonly DicomFile[];
  readonly mappings: FrameMappings;
  readonly references: FileReferences;
  readonly overlay: OverlayEligibility;
  readonly warnings: readonly string[];
};

export type MappedFrame = {
  readonly segmentNumber: number | undefined;
  readonly sopInstanceUid: string | undefined;
  readonly frameNumbers: readonly number[];
  readonly files: readonly DicomFile[];
  readonly sourceFrames: readonly { readonly file: DicomFile; readonly frame: number }[];
  readonly method: (typeof MAPPING_METHODS)[number] | undefined;
  readonly status: (typeof MAPPING_STATUSES)[number];
  readonly reason: string;
};

export function showSegments(record: SegmentationRecord): ShownSegment[] {
  return record.segments.map((segment) => {
    const { color, source } = colorOfSegment(segment);
    return { ...segment, sort: 'segment', color, colorSource: source };
  });
}

/** Creates a function that returns the mapping of one frame (from 0). */
export function createFrameReader({
  record,
  sources,
  mappings,
}: Pick<SegmentationContext, 'record' | 'sources' | 'mappings'>) {
  const { frames } = record;
  const byUid = new Map<string, DicomFile[]>();
  for (const file of sources) addTo(byUid, file.sopInstanceUid, file);

  return (frame: number): MappedFrame => {
    const fits = listAt(mappings.fits, frame);
    const sourceFrames: { file: DicomFile; frame: number }[] = [];
    for (let i = 0; i < fits.length; i += 2) {
      const file = sources[fits[i] ?? -1];
      if (file !== undefined) sourceFrames.push({ file, frame: fits[i + 1] ?? 0 });
    }
    const rows = [...listAt(frames.derivedFrom, frame)];
    const named = rows.map((row) => frames.sources.uids[frames.sources.uid[row] ?? -1] ?? '');
    const [fit] = sourceFrames;
    const isResolved = MAPPING_STATUSES[mappings.statuses[frame] ?? 0] === 'resolved';
    const sopInstanceUid = isResolved ? fit?.file.sopInstanceUid : named[0];
    const ofSource = rows.filter((_, i) => named[i] === sopInstanceUid);
    const segmentNumber = frames.segmentNumbers[frame] ?? -1;
    const files =
      named.length > 0 ? named.flatMap((uid) => byUid.get(uid) ?? []) : sourceFrames.map(({ file }) => file);
    return {
      segmentNumber: segmentNumber < 0 ? undefined : segmentNumber,
      sopInstanceUid,
      frameNumbers: ofSource.flatMap((row) => [...listAt(frames.sources.frameNumbers, row)]),
      files: [...new Set(files)],
      sourceFrames,
      method: MAPPING_METHODS[mappings.methods[frame] ?? -1],
      status: MAPPING_STATUSES[mappings.statuses[frame] ?? 0] ?? 'missing',
      reason: MAPPING_REASONS[REASON_CODES[mappings.reasons[frame] ?? 0] ?? 'no_source'],
    };
  };
}

export function judgeOverlay(
  { statuses, reasons, resolvedCount, mappedSourceCount, firstSource }: FrameMappings,
  { sources, canPaint }: { readonly sources: readonly DicomFile[]; readonly canPaint: boolean },
): OverlayEligibility {
  const eligible = canPaint && resolvedCount > 0;
  const first = MAPPING_REASONS[REASON_CODES[reasons[0] ?? 0] ?? 'no_source'];
  const mapped = `${resolvedCount} of ${statuses.length} frames are over an open source image`;
  const reason = eligible ? mapped : canPaint ? `no frame is over an open source image: ${first}` : UNKNOWN_TYPE;
  return { eligible, reason, sourceFile: sources[firstSource], mappedSourceCount };
}

export const UNKNOWN_TYPE = 'the object does not declare whether its samples are a mask, fractions or labels';

/** The meaning of a segmentation's samples; undefined if it is not declared. */
export function findMeaning(record: SegmentationRecord, isMask: boolean): SampleMeaning | undefined {
  const { segmentationType, maximumFractionalValue = 255, pixelPaddingValue, segments } = record;
  if (segmentationType === 'BINARY' || (segmentationType === 'FRACTIONAL' && isMask)) return { kind: 'mask' };
  if (segmentationType === 'FRACTIONAL') return { kind: 'fractions', maximum: maximumFractionalValue };
  if (segmentationType !== 'LABELMAP') return undefined;
  return {
    kind: 'labels',
    hidden: [
      ...(pixelPaddingValue === undefined ? [] : [pixelPaddingValue]),
      ...segments.filter(isBackgroundSegment).map((segment) => segment.number),
    ],
  };
}

/** The segment of a frame: the one that it names, or the only one of the object. */
export function segmentOf({ frames, segments }: SegmentationRecord, frame: number): number | undefined {
  const number = frames.segmentNumbers[frame] ?? -1;
  if (number >= 0) return number;
  return segments.length === 1 ? segments[0]?.number : undefined;
}

/** How the samples of one frame are drawn; undefined if the object does not declare their meaning. */
export function choosePaint(
  record: SegmentationRecord,
  {
    frame,
    isMask,
    segments,
  }: { readonly frame: number; readonly isMask: boolean; readonly segments: readonly ShownSegment[] },
): OverlayPaint | undefined {
  const number = record.frames.segmentNumbers[frame] ?? -1;
  const only = segments.length === 1 ? segments[0] : undefined;
  const color =
    (segments.find((segment) => segment.number === number) ?? only)?.color ?? paletteColor(Math.max(1, number));
  const meaning = findMeaning(record, isMask);
  if (meaning?.kind !== 'labels') return meaning && { ...meaning, color };
  return { ...meaning, colors: segments.map((segment) => [segment.number, segment.color] as const) };
}

/** (125040, DCM, Background). */
export function isBackgroundSegment({ propertyType }: SegmentDescription): boolean {
  return propertyType?.scheme === 'DCM' && propertyType.value === '125040';
}
