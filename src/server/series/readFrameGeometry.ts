import { buildOrientation, normalOf } from '../../shared/geometry.ts';
import type { DataSet } from '../dicom/dataSet.ts';
import { MOST_VALUES } from '../dicom/mostValues.ts';
import { withSameFile } from '../dicom/openSameFile.ts';
import { type FrameGroups, readFrameGroups } from '../dicom/readFrameGroups.ts';
import * as Tag from '../dicom/tag.ts';
import type { FrameGeometry, FrameGeometryInput } from './frameGeometry.ts';
import { type FrameKey, rankFrames } from './rankFrames.ts';

/** Reads the functional groups of all frames, and of each only where and when it is. */
export function readFrameGeometry({ frameCount, ...file }: FrameGeometryInput): FrameGeometry {
  return withSameFile(file, (source) => {
    const builder = createBuilder(frameCount);
    for (const groups of readFrameGroups(source, { frameCount, wanted: WANTED, wantedInGroups: IN_GROUPS })) {
      builder.take(groups);
    }
    return builder.build();
  });
}

const WANTED = [Tag.ImagePositionPatient, Tag.ImageOrientationPatient, Tag.GridFrameOffsetVector];
const IN_GROUPS = [
  Tag.PlanePositionSequence,
  Tag.ImagePositionPatient,
  Tag.PlaneOrientationSequence,
  Tag.ImageOrientationPatient,
  Tag.PlanePositionVolumeSequence,
  Tag.ImagePositionVolume,
  Tag.PlaneOrientationVolumeSequence,
  Tag.ImageOrientationVolume,
  Tag.FrameContentSequence,
  Tag.TemporalPositionIndex,
  Tag.DimensionIndexValues,
  Tag.FrameReferenceDateTime,
  Tag.FrameAcquisitionDateTime,
  Tag.SegmentIdentificationSequence,
  Tag.ReferencedSegmentNumber,
];

function createBuilder(frameCount: number) {
  const points = new Float64Array(3 * frameCount).fill(NaN);
  const orientationOf = new Int32Array(frameCount).fill(-1);
  const orientations: (readonly number[])[] = [];
  const known = new Map<string, number>();
  const keys: FrameKey[] = [];
  let isSpatial = false;

  function putOrientation(frame: number, orientation: readonly number[]): void {
    if (orientation.length !== 6 || !orientation.every(Number.isFinite)) return;
    const text = orientation.join();
    const place = known.get(text) ?? orientations.push(orientation) - 1;
    known.set(text, place);
    orientationOf[frame] = place;
  }

  function putPosition(frame: number, position: readonly number[]): void {
    if (position.length === 3 && position.every(Number.isFinite)) points.set(position, 3 * frame);
  }

  /** The planes of a dose grid. PS3.3 C.8.8.3.2. */
  function takeGrid(dataSet: DataSet): void {
    const offsets = dataSet.numbers(Tag.GridFrameOffsetVector, frameCount);
    const origin = dataSet.numbers(Tag.ImagePositionPatient, 3);
    const written = dataSet.numbers(Tag.ImageOrientationPatient, 7);
    const orientation = buildOrientation(written);
    const [x, y, z] = origin;
    if (offsets.length === 0 || orientation === undefined) return;
    if (x === undefined || y === undefined || z === undefined) return;
    const [nx, ny, nz] = normalOf(orientation);
    const isRelative = offsets[0] === 0;
    for (const [frame, offset] of offsets.entries()) {
      putOrientation(frame, written);
      putPosition(frame, isRelative ? [x + nx * offset, y + ny * offset, z + nz * offset] : [x, y, offset]);
    }
    isSpatial = true;
  }

  return {
    take({ firstFrame, frames, shared, dataSet }: FrameGroups): void {
      if (firstFrame === 0 && frames.length === 0) takeGrid(dataSet);
      for (const [at, own] of frames.entries()) {
        const frame = firstFrame + at;
        const ownPosition = findPosition(own);
        isSpatial ||= ownPosition.length > 0;
        putPosition(
          frame,
          orElse(ownPosition, () => findPosition(shared, dataSet)),
        );
        putOrientation(
          frame,
          orElse(findOrientation(own), () => findOrientation(shared, dataSet)),
        );
        keys.push(readKey(own));
      }
    },
    build: (): FrameGeometry => ({
      points,
      orientations,
      orientationOf,
      ranks: rankFrames(keys, frameCount),
      isSpatial,
    }),
  };
}

function findPosition(groups: DataSet | undefined, dataSet?: DataSet): readonly number[] {
  const patient = groups?.items(Tag.PlanePositionSequence)[0]?.numbers(Tag.ImagePositionPatient, 4) ?? [];
  const volume = () => groups?.items(Tag.PlanePositionVolumeSequence)[0]?.numbers(Tag.ImagePositionVolume, 4) ?? [];
  return orElse(orElse(patient, volume), () => dataSet?.numbers(Tag.ImagePositionPatient, 4) ?? []);
}

function findOrientation(groups: DataSet | undefined, dataSet?: DataSet): readonly number[] {
  const patient = groups?.items(Tag.PlaneOrientationSequence)[0]?.numbers(Tag.ImageOrientationPatient, 7) ?? [];
  const volume = () =>
    groups?.items(Tag.PlaneOrientationVolumeSequence)[0]?.numbers(Tag.ImageOrientationVolume, 7) ?? [];
  return orElse(orElse(patient, volume), () => dataSet?.numbers(Tag.ImageOrientationPatient, 7) ?? []);
}

function orElse(numbers: readonly number[], other: () => readonly number[]): readonly number[] {
  return numbers.length > 0 ? numbers : other();
}

function readKey(own: DataSet): FrameKey {
  const content = own.items(Tag.FrameContentSequence)[0];
  return {
    temporalPosition: content?.number(Tag.TemporalPositionIndex),
    dimensions: content?.numbers(Tag.DimensionIndexValues, MOST_VALUES.dimensions) ?? [],
    segment: own.items(Tag.SegmentIdentificationSequence)[0]?.number(Tag.ReferencedSegmentNumber),
    dateTime: content?.string(Tag.FrameReferenceDateTime) ?? content?.string(Tag.FrameAcquisitionDateTime),
  };
}
