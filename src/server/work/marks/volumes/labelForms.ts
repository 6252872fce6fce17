import type { LabelFormat } from '../../../../shared/contract/labels.ts';
import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { planeOfPlace, reachOf } from '../../../../shared/positionTable.ts';
import type { Catalog } from '../../../images/catalog/catalog.ts';
import { affineOf } from '../../../images/exports/nifti/niftiGrid.ts';
import { readBytesOf } from '../../../standard/dicom/readCost.ts';
import type { FrameOptions } from '../../../images/pixels/frames.ts';
import type { Task, TaskRunner } from '../../../machine/workers/task.ts';
import { createUid } from '../createUid.ts';
import type { LabelGrid } from './labelGrid.ts';
import type { LabelPart } from './labelParts.ts';
import { cutLabelsTask, type LabelSamples, type PaintedParts, writeNpzTask } from './labelTasks.ts';
import {
  type CutSegments,
  type SegmentedFrame,
  type SegmentToWrite,
  type VolumeLabel,
  writeLabelsTask,
  writeSegmentationTask,
} from './markVolumeTasks.ts';

/** Labels that have been painted. */
export type LabelsInVolumes = {
  readonly grid: LabelGrid;
  readonly parts: readonly LabelPart[];
  readonly found: PaintedParts;
  readonly volumes: readonly LabelSamples[];
  /** The volume of each part, by its place from 1 on. */
  readonly volumeOf: Uint16Array;
  readonly leftOut: readonly string[];
};

/** A file that labels can be. */
export type LabelForm = {
  readonly rowsRunUp: boolean;
  /** How often labels are in memory while they are written. */
  readonly copies: number;
  /** Further memory, which depends on what has been painted. */
  readonly furtherBytes: (found: PaintedParts) => number;
  /** The caller holds the memory. */
  readonly write: (labels: LabelsInVolumes, options: FrameOptions) => Promise<readonly Uint8Array[]>;
};

type Context = {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly tasks: TaskRunner;
  readonly software: { readonly name: string; readonly version: string };
};

/** The length of pixels in a file has 32 bits. */
const MOST_PIXEL_BYTES = 2 ** 31;
/** Functional groups of a frame, as objects and as they are written. */
const FRAME_BYTES = 8_192;
/** Slices that one task cuts. */
const CUT_SLICES = 16;

/** Throws if labels on a grid cannot be a file of a format. */
export function createLabelForms({ catalog, tasks, software }: Context) {
  const program = `${software.name} ${software.version}`;
  const run = <Input, Output>(task: Task<Input, Output>, input: Input, { signal }: FrameOptions) =>
    tasks.run(task, input, { signal });

  function createVolumeForm(grid: LabelGrid, format: Exclude<LabelFormat, 'seg' | 'npz'>): LabelForm {
    const { regular } = grid;
    if (regular === undefined) {
      const why = grid.kind === 'images' ? grid.noGrid : undefined;
      throw new ViewerError('volume_unavailable', why ?? 'the slices of the layer are on no grid');
    }
    return {
      rowsRunUp: true,
      copies: 2,
      furtherBytes: () => 0,
      async write(labels, options) {
        const { volumes } = labels;
        const input = { format, grid: regular, volumes, names: nameLabels(labels), software: program };
        const { file, isWithLabels } = await run(writeLabelsTask, input, options);
        return isWithLabels ? [file] : [file, ...volumes.map(({ buffer }) => new Uint8Array(buffer))];
      },
    };
  }

  function createNumpyForm(grid: LabelGrid): LabelForm {
    return {
      rowsRunUp: false,
      copies: 2,
      furtherBytes: () => 0,
      async write(labels, options) {
        const { columns, rows, slices } = grid;
        const names = nameLabels(labels).map(({ value, volume, title, color, codes }) => {
          return { value, volume, name: title, color, category: codes.category, type: codes.type };
        });
        const about = JSON.stringify({ software: program, labels: names }, undefined, 2);
        const input = {
          volumes: labels.volumes,
          size: [columns, rows, slices] as const,
          affine: grid.regular && affineOf(grid.regular),
          about,
        };
        return [await run(writeNpzTask, input, options)];
      },
    };
  }

  function createSegmentationForm(grid: LabelGrid): LabelForm {
    if (grid.kind !== 'images') {
      throw mappingUnavailable('a DICOM segmentation names its images: it lies on their grid');
    }
    const { of, frames, table, firstPlace, rows, columns } = grid;
    const { frameOfReferenceUid } = of;
    if (frameOfReferenceUid === undefined) {
      const message = 'the images have no Frame of Reference UID (0020,0052), which a segmentation of them repeats';
      throw new ViewerError('volume_unavailable', message);
    }
    const described = Array.from({ length: grid.slices }, (_, slice): SegmentedFrame => {
      const file = catalog.files[frames[2 * slice]!]!;
      const { position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm } = planeOfPlace(
        table,
        firstPlace + slice,
      );
      return {
        sopClassUid: file.sopClassUid,
        sopInstanceUid: file.sopInstanceUid,
        seriesInstanceUid: file.seriesInstanceUid,
        frameNumber: file.frameCount > 1 ? frames[2 * slice + 1]! + 1 : undefined,
        plane: [...position, ...rowDirection, ...columnDirection, rowSpacingMm, columnSpacingMm],
        depthMm:
          grid.slices === 1 ? NaN : reachOf(table, firstPlace + slice, -1) + reachOf(table, firstPlace + slice, 1),
      };
    });
    return {
      rowsRunUp: false,
      copies: 1,
      furtherBytes({ boxes, counts }) {
        let cutFrames = 0;
        for (const [part, count] of counts.entries()) {
          if (count > 0) cutFrames += boxes[6 * part + 5]! - boxes[6 * part + 4]! + 1;
        }
        const bytes = cutFrames * Math.ceil((rows * columns) / 8);
        if (bytes > MOST_PIXEL_BYTES) {
          const message = `the segments have ${cutFrames} frames, which one file cannot hold: choose fewer parts`;
          throw new ViewerError('layer_too_large', message);
        }
        // Bits as they are cut, one after the other, and in the file, with what each frame says about itself.
        return 3 * bytes + cutFrames * FRAME_BYTES + readBytesOf(of);
      },
      async write({ volumes, volumeOf, parts, found }, options) {
        const values = Uint16Array.from([0, ...parts.map(({ value }) => value)]);
        const cut: CutSegments[] = [];
        for (let firstSlice = 0; firstSlice < grid.slices; firstSlice += CUT_SLICES) {
          const range = { firstPlace: firstSlice, endPlace: Math.min(grid.slices, firstSlice + CUT_SLICES) };
          cut.push(await run(cutLabelsTask, { rows, columns, volumes, values, volumeOf, ...range }, options));
        }
        const segments = parts.flatMap((part, at) => (found.counts[at + 1] === 0 ? [] : [toSegment(part, at + 1)]));
        if (segments.length === 0) throw new ViewerError('mark_not_found', 'no part has the center of a sample inside');
        const renumbered = renumber(cut, segments);
        const input = { source: of.source, rows, columns, frameOfReferenceUid, frames: described, software };
        const named = segments.map((segment, at) => ({ ...segment, number: at + 1 }));
        return [await run(writeSegmentationTask, { ...input, segments: named, parts: renumbered }, options)];
      },
    };
  }

  return (grid: LabelGrid, format: LabelFormat): LabelForm => {
    if (format === 'seg') return createSegmentationForm(grid);
    return format === 'npz' ? createNumpyForm(grid) : createVolumeForm(grid, format);
  };
}

/** Segments without a pixel are left out, and numbers of segments count from 1. */
function renumber(cut: readonly CutSegments[], segments: readonly SegmentToWrite[]): readonly CutSegments[] {
  const numbers = new Map(segments.map(({ number }, at) => [number, at + 1]));
  for (const { cut: of } of cut) for (let at = 0; at < of.length; at += 2) of[at] = numbers.get(of[at]!)!;
  return cut;
}

function toSegment({ title, color, codes, key }: LabelPart, number: number): SegmentToWrite {
  const name = title || `Label ${number}`;
  const labelClass = { key: key ?? name, title: name, color: '#000000', ...codes };
  return { number, uid: createUid(), label: name, labelClass, color };
}

function nameLabels({ parts, volumeOf, volumes, found: { boxes, counts } }: LabelsInVolumes): readonly VolumeLabel[] {
  return parts.map(({ from, ...part }, at) => ({
    ...part,
    ...(from !== undefined && { id: `Segment_${from.layer}_${from.part}` }),
    ...(volumes.length > 1 && { volume: volumeOf[at + 1]! }),
    extent: counts[at + 1] === 0 ? NOWHERE : [...boxes.subarray(6 * (at + 1), 6 * (at + 2))],
  }));
}

/** As 3D Slicer writes the extent of an empty segment. */
const NOWHERE = [0, -1, 0, -1, 0, -1];
