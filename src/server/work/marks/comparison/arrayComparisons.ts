import type { AgreementQuery, ComparisonResponse } from '../../../../shared/contract/comparison.ts';
import { numberOfLayer } from '../../../../shared/layerRef.ts';
import type { Attachment } from '../../../images/attachments/attachments.ts';
import { unreadable } from '../../../images/attachments/arrayHeader.ts';
import type { FrameOptions } from '../../../images/pixels/frames.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../../machine/workers/task.ts';
import {
  compareLabels,
  type ComparedLabels,
  type HeldBytes,
  type LabelsInSpace,
  MM3_PER_ML,
  mostAgreementBytes,
} from '../../../over/agreement/agreements.ts';
import { MOST_SHARE, requireMemory } from '../volumes/labelVolumes.ts';
import type { LabelSamples } from '../volumes/labelTasks.ts';
import { type ArrayGrid, findArrayGrid, findWay, spacingOfArray } from './arrayGrid.ts';
import { readRules } from './comparisons.ts';
import { type LabelOfArray, readLabelArrayTask, resampleLabelsTask } from './labelArrayTasks.ts';
import { type PairedBy, pairParts, type PartToPair } from './pairParts.ts';

/** How far two files of labels agree, which need not lie over images. */
export interface ArrayComparisons {
  /** Throws `attachment_unreadable` if one of them has no labels, or if it is not known where they lie. */
  compareArrays(
    truth: Attachment,
    test: Attachment,
    query: AgreementQuery,
    options: FrameOptions,
  ): Promise<ComparisonResponse>;
}

type Context = { readonly tasks: TaskRunner; readonly memory: Pick<MemoryAccount, 'tasks' | 'plan'> };

const UNPLACED = 'a file does not say where it lies: samples count as cubes of 1 mm, unless the other one is the truth';
const RESAMPLED = 'the test has another grid: each sample of the grid of the truth has the label of its nearest sample';
const OBLIQUE = 'the axes of the truth are not at right angles, so there are no distances';

export function createArrayComparisons({ tasks, memory }: Context): ArrayComparisons {
  return {
    async compareArrays(truthFile, testFile, query, options) {
      const [truth, test] = [openSide(truthFile), openSide(testFile)];
      const way = findWay(truth.grid, test.grid);
      const { spacingMm, isOblique } = spacingOfArray(truth.grid);
      const rules = readRules(query, spacingMm);
      const { size } = truth.grid.axes;
      const sampleMm3 = spacingMm[0] * spacingMm[1] * spacingMm[2];

      const read = async ({ content, grid: { axes } }: OpenSide, width: SampleWidth) => {
        const volumes = createSamples(axes, axes.channels, width);
        const { header, data } = content;
        const input = { data, header, axes, volumes };
        return { volumes, ...(await tasks.run(readLabelArrayTask, input, { signal: options.signal })) };
      };

      const place = async (volumes: readonly LabelSamples[], width: SampleWidth): Promise<readonly LabelSamples[]> => {
        if (way === undefined) return volumes;
        const placed: LabelSamples[] = [];
        for (const from of volumes) {
          for (const into of createSamples(truth.grid.axes, 1, width)) {
            const input = { from, fromSize: test.grid.axes.size, into, size, matrix: way.matrix };
            await tasks.run(resampleLabelsTask, input, { signal: options.signal });
            placed.push(into);
          }
        }
        return placed;
      };

      const attempt = (width: SampleWidth) => {
        const bytesOf = ({ axes }: ArrayGrid, channels: number) => channels * countSamples(axes) * width;
        const bytes =
          bytesOf(truth.grid, truth.grid.axes.channels) +
          bytesOf(test.grid, test.grid.axes.channels) +
          (way === undefined ? 0 : bytesOf(truth.grid, test.grid.axes.channels)) +
          READ_BYTES;
        const most = MOST_SHARE * memory.plan.tasks;
        requireMemory(bytes, most);
        const further = Math.max(0, Math.min(mostAgreementBytes(size), most - bytes));
        const held: HeldBytes = {
          bytes: further,
          require: (needed) => needed > further && requireMemory(bytes + needed, most),
        };
        return memory.tasks.reserve({ bytes: bytes + further, signal: options.signal }, async () => {
          const [a, b] = await Promise.all([read(truth, width), read(test, width)]);
          if (a.isFull || b.isFull) return undefined;
          const sides = {
            truth: toSpace(a.volumes, a.labels),
            test: toSpace(await place(b.volumes, width), b.labels),
          };
          const parts = { truth: listParts(truth, a.labels), test: listParts(test, b.labels) };
          const empty = { truth: a.labels.length + 1, test: b.labels.length + 1 };
          const pairs = pairAll(parts, empty, isPlain(truth) && isPlain(test));
          const input = {
            ...sides,
            size,
            sampleMm3,
            pairs: pairs.map(({ truth: one, test: other }) => [one.code, other.code] as const),
            components: rules.isMeasured ? rules.components : undefined,
            surfaces: rules.isMeasured && !isOblique ? rules.surfaces : undefined,
            held,
          };
          const found = await compareLabels(input, tasks, options);
          return toAnswer(pairs, found, sampleMm3);
        });
      };
      const found = (await attempt(1)) ?? (await attempt(2));
      if (found === undefined) throw unreadable('the file has too many labels');
      const isUnplaced = truth.grid.affine === undefined || test.grid.affine === undefined;
      const isResampled = way !== undefined && !way.isExact;
      return {
        truth: describeFile(truthFile, 'own'),
        test: describeFile(testFile, isResampled ? 'resampled' : 'own'),
        size: [...size],
        spacing_mm: [...spacingMm],
        place: null,
        tolerance_mm: rules.surfaces.toleranceMm,
        overlap: rules.components.overlap,
        connectivity: rules.components.connectivity,
        ...found,
        notes: [
          ...(isResampled ? [RESAMPLED] : []),
          ...(isUnplaced ? [UNPLACED] : []),
          ...(isOblique && rules.isMeasured ? [OBLIQUE] : []),
        ],
      };
    },
  };
}

/** Bytes of a sample. */
type SampleWidth = 1 | 2;
/** Blocks of both files while they are read. */
const READ_BYTES = 32 * 2 ** 20;

type ArrayContent = Extract<Attachment['content'], { readonly kind: 'array' }>;
type OpenSide = { readonly content: ArrayContent; readonly grid: ArrayGrid };

function openSide({ content }: Attachment): OpenSide {
  if (content.kind === 'unreadable') throw unreadable(content.reason);
  if (content.kind === 'pictures') throw unreadable('pictures are compared over the images that they lie over');
  return { content, grid: findArrayGrid(content.header) };
}

function countSamples({ size }: ArrayGrid['axes']): number {
  return size[0] * size[1] * size[2];
}

function createSamples(axes: ArrayGrid['axes'], count: number, width: SampleWidth): readonly LabelSamples[] {
  return Array.from({ length: count }, (): LabelSamples => {
    const buffer = new SharedArrayBuffer(countSamples(axes) * width);
    return width === 1 ? new Uint8Array(buffer) : new Uint16Array(buffer);
  });
}

/** With one label more, which has no sample. */
function toSpace(volumes: readonly LabelSamples[], labels: readonly LabelOfArray[]): LabelsInSpace {
  return { volumes, volumeOf: Uint16Array.from([0, ...labels.map(({ channel }) => channel), 0]) };
}

/** A part with the value that its samples have. */
type CodedPart = PartToPair & { readonly code: number };

/** Those of the same value and volume in the order of their values. */
function listParts({ content: { header }, grid }: OpenSide, labels: readonly LabelOfArray[]): readonly CodedPart[] {
  const isLayered = grid.axes.channels > 1;
  const parts = labels.map(({ channel, value }, at): CodedPart => {
    const named = header.labels.find((one) => one.channel === channel && one.value === value);
    const fallback = isLayered ? `Label ${value} of volume ${channel + 1}` : `Label ${value}`;
    return { part: isLayered ? at + 1 : value, value, label: named?.name ?? fallback, type: undefined, code: at + 1 };
  });
  // What a file names and has nowhere is empty.
  const absent = header.labels.filter((one) => !labels.some((l) => l.channel === one.channel && l.value === one.value));
  const empty = absent.map(({ value, name }): CodedPart => {
    return { part: value, value, label: name ?? `Label ${value}`, type: undefined, code: labels.length + 1 };
  });
  return [...parts, ...empty].toSorted((a, b) => a.part - b.part);
}

type PartsOfSides = { readonly truth: readonly CodedPart[]; readonly test: readonly CodedPart[] };
type CodedPair = { readonly truth: CodedPart; readonly test: CodedPart; readonly by: PairedBy | 'nothing' };

/**
 * All parts. A file without names has every label, and those that are nowhere in it are empty: a part without a partner
 * there is compared with nothing.
 */
function pairAll(
  { truth, test }: PartsOfSides,
  emptyCodes: { readonly truth: number; readonly test: number },
  arePlain: boolean,
): readonly CodedPair[] {
  const pairs: CodedPair[] = pairParts(truth, test).map((pair) => {
    return { truth: truth[pair.truth]!, test: test[pair.test]!, by: pair.by };
  });
  const taken = new Set(pairs.flatMap((pair) => [pair.truth, pair.test]));
  const by = arePlain ? 'number' : 'nothing';
  for (const part of truth) {
    if (!taken.has(part)) pairs.push({ truth: part, test: { ...part, code: emptyCodes.test }, by });
  }
  for (const part of test) {
    if (!taken.has(part)) pairs.push({ truth: { ...part, code: emptyCodes.truth }, test: part, by });
  }
  return pairs.toSorted((a, b) => a.truth.value - b.truth.value);
}

/** Whether a file has labels without names, which are all of one volume. */
function isPlain({ content, grid }: OpenSide): boolean {
  return content.header.labels.length === 0 && grid.axes.channels === 1;
}

function toAnswer(pairs: readonly CodedPair[], found: readonly ComparedLabels[], sampleMm3: number) {
  const toWire = ({ part, label }: CodedPart, samples: number) => {
    return { part, name: label, class: null, type: null, samples, volume_ml: (samples * sampleMm3) / MM3_PER_ML };
  };
  const answer: Pick<ComparisonResponse, 'pairs' | 'only_truth' | 'only_test'> = {
    pairs: [],
    only_truth: [],
    only_test: [],
  };
  for (const [at, { truth, test, by }] of pairs.entries()) {
    const { numbers, errors, both, ...samples } = found[at]!;
    const sides = { truth: toWire(truth, samples.truth), test: toWire(test, samples.test) };
    if (by !== 'nothing') answer.pairs.push({ ...sides, paired_by: by, samples_in_both: both, numbers, errors });
    else if (samples.test === 0) answer.only_truth.push(sides.truth);
    else answer.only_test.push(sides.test);
  }
  return answer;
}

function describeFile({ number, path }: Attachment, samples: 'own' | 'resampled') {
  return { layer: numberOfLayer({ attachment: number }), title: path, samples } as const;
}
