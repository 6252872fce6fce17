import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { createImagePixel } from '../support/createImagePixel.ts';
import { openPath, pretendSource } from '../support/sources.ts';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { describeFile, SCANNED_TAGS } from '../../src/server/images/catalog/describeFile.ts';
import type { FileDescription } from '../../src/server/images/catalog/dicomFile.ts';
import { readInfo } from '../../src/server/images/catalog/readInfo.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import {
  createFullScanner,
  createHeaderScanner,
  type HeaderScanner,
} from '../../src/server/standard/dicom/headerScanner.ts';
import { readTags } from '../../src/server/standard/dicom/readTags.ts';
import { writeSelectedTag } from '../../src/server/standard/dicom/selectTag.ts';
import { writeTagTree } from '../../src/server/standard/dicom/tagTree.ts';
import { createImageFiles, openImage } from '../../src/server/images/pixels/imageFiles.ts';
import { readPresentation } from '../../src/server/images/pixels/presentation/readPresentation.ts';
import { readStateLook } from '../../src/server/images/pixels/presentation/readStateLook.ts';
import { readKeyObjects } from '../../src/server/over/presentation/readKeyObjects.ts';
import { readState } from '../../src/server/over/presentation/readState.ts';
import { readReferences } from '../../src/server/images/references/readReferences.ts';
import { readDose } from '../../src/server/images/semantics/readDose.ts';
import { readParametricMap } from '../../src/server/images/semantics/readParametricMap.ts';
import { readFiducials } from '../../src/server/over/layers/fiducials/readFiducials.ts';
import { readSpectroscopy } from '../../src/server/over/layers/spectroscopy/readSpectroscopy.ts';
import { readReport } from '../../src/server/over/layers/report/readReport.ts';
import { indexSlideAnnotations } from '../../src/server/over/layers/slideAnnotations/indexSlideAnnotations.ts';
import { readSegmentation } from '../../src/server/over/layers/segmentation/readSegmentation.ts';
import { readFrameGeometry } from '../../src/server/images/series/readFrameGeometry.ts';
import type { TaskContext } from '../../src/server/machine/workers/serveTasks.ts';
import { readSlideLayout } from '../../src/server/images/wsi/readSlideLayout.ts';
import type { OpenSource } from '../../src/server/bytes/origins/origins.ts';

/** A rule that a case has broken. */
export type Failure = { readonly kind: FailureKind; readonly step: string; readonly detail: string };

export type FailureKind = 'unforeseen_error' | 'slow' | 'memory' | 'scanners_differ' | 'prefix_differs' | 'server';

/** Limit of processor time, which does not depend on how busy the machine is. */
const MAXIMUM_MS = 2_000;
/** Limit of memory beyond what the process has used before. A file of a few kilobytes does not need this much. */
const MAXIMUM_MB = 192;

const CONTEXT: TaskContext = { isCancelled: () => false, throwIfCancelled: () => {}, transfer: (view) => view };
/** Of regions and annotations. */
const MOST_BYTES = 2 ** 24;
const TAG_PATHS = ['(7FE0,0010)', '(0010,0010)', '(0008,1140)', '(5200,9230)/0/(0020,9113)'];

export type ReaderProbe = {
  /** Scans the file, writes its tags and locates its frames, all from memory. */
  readonly inMemory: (bytes: Uint8Array) => Failure | undefined;
  /** Does the same from a real file, which is slower, and also runs everything that reads files for the routes. */
  readonly onDisk: (bytes: Uint8Array) => Failure | undefined;
};

/** Reads files in the ways that workers do, and returns the rule that was broken. `path` is overwritten. */
export function createReaderProbe(path: string): ReaderProbe {
  const scanner = createHeaderScanner(SCANNED_TAGS);
  const careful = createFullScanner(SCANNED_TAGS);
  const watch = createWatch();

  const scanBoth = (steps: Steps, source: OpenSource): FileDescription | undefined => {
    const scanned = steps.run('scan', () => describe(scanner, source));
    const again = steps.run('careful scan', () => describe(careful, source));
    if (!isDeepStrictEqual(scanned, again)) steps.fail('scanners_differ', 'scan', firstDifference(scanned, again));
    return typeof scanned === 'object' ? scanned : undefined;
  };

  return {
    inMemory: (bytes) =>
      watch((steps) => {
        const source = memorySource(bytes);
        const scanned = scanBoth(steps, source);
        if (scanned === undefined) return;
        steps.run('tags', () => writeTagTree(source, { depth: 8, items: 256 }));
        for (const tagPath of TAG_PATHS) {
          steps.run(`tag ${tagPath}`, () => writeSelectedTag(source, tagPath, { offset: 0, limit: 16 }));
        }
        const image = steps.run('image', () => openImage(source));
        if (image === undefined) return;
        for (const frame of new Set([0, Math.max(0, scanned.frameCount - 1)])) {
          steps.run(`frame ${frame}`, () => image.readEncoded(frame));
          steps.run(`look of frame ${frame}`, () => readPresentation(image.object.dataSet, image.pixel, frame));
        }
      }),
    onDisk: (bytes) =>
      watch((steps) => {
        writeFileSync(path, bytes);
        const source = openPath(path);
        try {
          const scanned = scanBoth(steps, source);
          if (scanned !== undefined) readAll(steps, scanned);
        } finally {
          source.close();
        }
      }),
  };
}

function memorySource(bytes: Uint8Array): OpenSource {
  return {
    ...bufferSource(bytes),
    known: pretendSource('', { size: bytes.length }),
    state: '',
    reads: 0,
    bytesRead: 0,
    isUnchanged: () => true,
    close: () => {},
  };
}

function describe(scanner: HeaderScanner, source: OpenSource): FileDescription | string {
  const scan = scanner.scan(source);
  return scan.kind === 'failed' ? scan.reason : describeFile({ path: '', opened: source, scan });
}

function readAll(steps: Steps, { source, frameCount }: FileDescription): void {
  steps.run('tags', () => readTags({ source, depth: 8, items: 256 }, CONTEXT));
  steps.run('info', () => readInfo(source));
  steps.run('references', () => readReferences(source, CONTEXT));
  steps.run('geometry', () => readFrameGeometry({ source, frameCount }));
  steps.run('slide', () => readSlideLayout({ source, frameCount }));
  steps.run('segmentation', () => readSegmentation({ file: source, frameCount }));
  steps.run('report', () => readReport({ source, mostBytes: MOST_BYTES }));
  steps.run('fiducials', () => readFiducials({ source, mostBytes: MOST_BYTES }));
  steps.run('spectroscopy', () => readSpectroscopy({ source, mostBytes: MOST_BYTES }));
  steps.run('annotations', () => indexSlideAnnotations({ source, mostBytes: MOST_BYTES }, CONTEXT));
  steps.run('state', () => readState(source));
  const applied = { source, sopInstanceUid: '2.25.1', seriesInstanceUid: '2.25.501' };
  steps.run('look of a state', () => readStateLook(applied, 0, createImagePixel()));
  steps.run('key objects', () => readKeyObjects(source));
  steps.run('parametric map', () => readParametricMap(source));
  steps.run('dose', () => readDose(source));
  steps.run('frame', () => createImageFiles().use(source, (image) => image.readEncoded(0)));
}

type Steps = {
  /** A ViewerError, which names what is wrong with the file, is a valid result; any other error is a bug. */
  readonly run: <Value>(step: string, action: () => Value) => Value | undefined;
  readonly fail: (kind: FailureKind, step: string, detail: string) => void;
};

/** A shorter case cannot have used too much time or much memory. */
const QUICK_MS = 20;
/** Number of quick cases after which the peak memory is checked anyway: garbage lets it grow as well, but slowly. */
const ASK_AFTER = 64;

/** Returns the first rule that was broken, including those about time and memory. */
function createWatch(): (probe: (steps: Steps) => void) => Failure | undefined {
  // Checked rarely, because on some systems the call takes longer than reading a file.
  let peakMb = askPeakMb();
  let quickCases = 0;

  return (probe) => {
    let failure: Failure | undefined;
    let last = '';
    const fail: Steps['fail'] = (kind, step, detail) => {
      failure ??= { kind, step, detail };
    };
    const steps: Steps = {
      fail,
      run(step, action) {
        last = step;
        try {
          return action();
        } catch (error) {
          if (error instanceof ViewerError) return undefined;
          fail('unforeseen_error', step, error instanceof Error ? (error.stack ?? error.message) : String(error));
          return undefined;
        }
      },
    };
    const began = performance.now();
    probe(steps);
    const tookMs = performance.now() - began;
    quickCases += 1;
    if (tookMs < QUICK_MS && quickCases < ASK_AFTER) return failure;
    quickCases = 0;
    const grewMb = askPeakMb() - peakMb;
    peakMb += grewMb;
    if (grewMb > MAXIMUM_MB) fail('memory', last, `${Math.round(grewMb)} MB more`);
    if (tookMs > MAXIMUM_MS) {
      const before = process.cpuUsage();
      probe(steps);
      const { user, system } = process.cpuUsage(before);
      const workedMs = Math.round((user + system) / 1_000);
      if (workedMs > MAXIMUM_MS) fail('slow', last, `${workedMs} ms`);
    }
    return failure;
  };
}

function askPeakMb(): number {
  return process.resourceUsage().maxRSS / 1_024;
}

function firstDifference(a: unknown, b: unknown): string {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return `${String(a)} / ${String(b)}`;
  const [name, value] = Object.entries(a).find(([key, each]) => !isDeepStrictEqual(each, Reflect.get(b, key))) ?? [];
  return `${name}: ${JSON.stringify(value)} / ${JSON.stringify(Reflect.get(b, name ?? ''))}`;
}
