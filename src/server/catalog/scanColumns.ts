import { OBJECT_KINDS, SPACING_SOURCES, SUPPORT_STATES } from '../../shared/contract/fileTerms.ts';
import { SKIP_REASONS } from '../../shared/contract/skipReasons.ts';
import type { FileDescription, FileDraft } from './dicomFile.ts';
import { type ColumnReader, createPlacementPacker, createPlacementUnpacker } from './placementColumns.ts';
import type { ScanResult } from './scanResult.ts';

/**
 * The results of one batch as they cross the thread: a few long columns instead of a thousand objects, whose property
 * names alone would take longer to copy than the files to scan.
 */
export type ScanColumns = {
  readonly length: number;
  /** Texts that belong to one file, in the order of reading. */
  readonly ownTexts: readonly string[];
  /** Texts that files have in common, each once; `texts` says where each is used, -1 for absent. */
  readonly sharedTexts: readonly string[];
  readonly texts: Int32Array<ArrayBuffer>;
  /** NaN for absent. Words of a fixed list are numbers too. */
  readonly numbers: Float64Array<ArrayBuffer>;
};

const DISPOSITIONS = ['selected', 'skipped', 'filtered'] as const;

/** `createUnpacker` reads in the order in which this writes. */
export function packResults(results: readonly ScanResult[]): ScanColumns {
  const ownTexts: string[] = [];
  const places = new Map<string, number>();
  const texts: number[] = [];
  const numbers: number[] = [];

  function putText(text: string | undefined): void {
    if (text === undefined) {
      texts.push(-1);
      return;
    }
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    texts.push(place);
  }

  const putPlacement = createPlacementPacker({ number: (value = NaN) => void numbers.push(value), text: putText });

  for (const result of results) {
    numbers.push(DISPOSITIONS.indexOf(result.disposition));
    if (result.disposition !== 'selected') {
      ownTexts.push(result.path);
      numbers.push(SKIP_REASONS.indexOf(result.reason));
      continue;
    }
    const { file } = result;
    const { pixelSpacingMm: spacing, defaultWindow: window, identity } = file;
    ownTexts.push(file.path, file.realPath === file.path ? '' : file.realPath);
    ownTexts.push(file.sopInstanceUid, file.instanceNumber);
    putText(file.label);
    putText(file.patientId);
    putText(file.patientName);
    putText(file.studyInstanceUid);
    putText(file.studyDate);
    putText(file.studyDescription);
    putText(file.seriesInstanceUid);
    putText(file.seriesNumber);
    putText(file.seriesDescription);
    putText(file.modality);
    putText(file.sopClassUid);
    putText(file.sopClassName);
    putText(file.supportReason);
    putText(file.photometricInterpretation);
    putText(file.transferSyntaxUid);
    putText(file.transferSyntaxName);
    putText(file.frameOfReferenceUid);
    numbers.push(OBJECT_KINDS.indexOf(file.objectKind), SUPPORT_STATES.indexOf(file.supportState));
    numbers.push(file.pixelSpacingSource === undefined ? -1 : SPACING_SOURCES.indexOf(file.pixelSpacingSource));
    numbers.push(file.hasPixels ? 1 : 0, file.frameCount, file.rows, file.columns, file.samplesPerPixel);
    numbers.push(file.bitsAllocated, file.bitsStored, file.pixelAspectRatio ?? NaN, file.fileBytes);
    numbers.push(spacing?.[0] ?? NaN, spacing?.[1] ?? NaN, window?.center ?? NaN, window?.width ?? NaN);
    numbers.push(identity.dev, identity.ino, identity.size, identity.mtimeMs);
    putPlacement(file.placement);
  }
  return {
    length: results.length,
    ownTexts,
    sharedTexts: [...places.keys()],
    texts: Int32Array.from(texts),
    numbers: Float64Array.from(numbers),
  };
}

const MOST_KNOWN = 8192;

/** Keeps one copy of each text, window and spacing that files near each other have in common, over all batches. */
export function createUnpacker(): (columns: ScanColumns) => ScanResult<FileDraft>[] {
  const known = new Map<string, string>();
  const readPlacement = createPlacementUnpacker();
  let lastWindow: FileDescription['defaultWindow'];
  let lastSpacing: FileDescription['pixelSpacingMm'];

  function intern(text: string): string {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    // A large map stops the event loop when it grows, and files that share a text mostly lie near each other.
    if (known.size === MOST_KNOWN) known.clear();
    known.set(text, text);
    return text;
  }

  function toWindow(center: number, width: number): FileDescription['defaultWindow'] {
    if (Number.isNaN(center)) return undefined;
    if (lastWindow?.center !== center || lastWindow.width !== width) lastWindow = { center, width };
    return lastWindow;
  }

  function toSpacing(row: number, column: number): FileDescription['pixelSpacingMm'] {
    if (Number.isNaN(row)) return undefined;
    if (lastSpacing?.[0] !== row || lastSpacing[1] !== column) lastSpacing = [row, column];
    return lastSpacing;
  }

  return ({ length, ownTexts, sharedTexts, texts, numbers }) => {
    const shared = sharedTexts.map(intern);
    let ownAt = 0;
    let textAt = 0;
    let numberAt = 0;
    const own = (): string => ownTexts[ownAt++] ?? '';
    const optional = (): string | undefined => shared[texts[textAt++] ?? -1];
    const text = (): string => optional() ?? '';
    const number = (): number => numbers[numberAt++] ?? NaN;
    const reader: ColumnReader = { number, text: optional };

    const results: ScanResult<FileDraft>[] = [];
    for (let row = 0; row < length; row += 1) {
      const disposition = DISPOSITIONS[number()] ?? 'skipped';
      const path = own();
      if (disposition !== 'selected') {
        results.push({ disposition, path, reason: SKIP_REASONS[number()] ?? 'unreadable' });
        continue;
      }
      const file: FileDraft = {
        index: -1,
        revision: 0,
        path,
        realPath: own() || path,
        sopInstanceUid: own(),
        instanceNumber: own(),
        label: text(),
        patientId: text(),
        patientName: text(),
        studyInstanceUid: text(),
        studyDate: text(),
        studyDescription: text(),
        seriesInstanceUid: text(),
        seriesNumber: text(),
        seriesDescription: text(),
        modality: text(),
        sopClassUid: text(),
        sopClassName: optional(),
        supportReason: optional(),
        photometricInterpretation: text(),
        transferSyntaxUid: text(),
        transferSyntaxName: text(),
        frameOfReferenceUid: optional(),
        objectKind: OBJECT_KINDS[number()] ?? 'unknown',
        supportState: SUPPORT_STATES[number()] ?? 'unsupported',
        pixelSpacingSource: SPACING_SOURCES[number()],
        hasPixels: number() === 1,
        frameCount: number(),
        rows: number(),
        columns: number(),
        samplesPerPixel: number(),
        bitsAllocated: number(),
        bitsStored: number(),
        pixelAspectRatio: definite(number()),
        fileBytes: number(),
        pixelSpacingMm: toSpacing(number(), number()),
        defaultWindow: toWindow(number(), number()),
        identity: { dev: number(), ino: number(), size: number(), mtimeMs: number() },
        placement: readPlacement(reader),
      };
      results.push({ disposition, file });
    }
    return results;
  };
}

function definite(number: number): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}
