import { LABEL_FORMATS, type LabelFormat } from '../../shared/contract/labels.ts';
import { parseFileCommand } from '../fileCommand.ts';
import { printable } from '../printable.ts';
import type { Settings } from '../settings.ts';
import { UsageError } from '../usageError.ts';

export const EXPORT_KINDS = ['nifti', 'nrrd', 'npy', 'labels'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

export const NAME_STYLES = ['flat', 'bids'] as const;
export type NameStyle = (typeof NAME_STYLES)[number];

/** What becomes of volumes of images. */
export type ImageExport = { readonly kind: 'nii' | 'nii.gz' | 'nrrd' | 'npy' };

/** What becomes of layers over them. */
export type LabelExport = {
  readonly kind: 'labels';
  readonly format: LabelFormat;
  readonly grid: 'images' | 'own';
  /** `files`: labels that overlap are in files of their own. */
  readonly overlap: 'volumes' | 'last' | 'files';
  readonly threshold: number | undefined;
  /** Whether all layers over a series are one file. */
  readonly isJoined: boolean;
};

/** The arguments of `negato export`. */
export type ExportArguments = {
  readonly what: ImageExport | LabelExport;
  readonly out: string;
  readonly names: NameStyle;
  /** Which files are opened, as for the viewer. */
  readonly settings: Settings;
};

const VALUES = ['--out', '--names', '--format', '--grid', '--overlap', '--threshold'] as const;
const SWITCHES = ['--join'] as const;
type OwnValue = (typeof VALUES)[number];
const OF_LABELS: readonly string[] = ['--grid', '--overlap', '--threshold', '--join'];

export const EXPORT_HELP = `negato export nifti|nrrd|npy PATH... --out DIR [options]
negato export labels PATH... --out DIR [options]

Writes every volume of images, or the labels of what lies over them (segmentations, structure
sets, model output), each with a JSON file about it. Says what was not written, and why.

    --out DIR            folder for the files; files in it are never replaced
    --names STYLE        flat: named after the series (default);
                         bids: folders and names like those of BIDS, which have the patient ID
    --format FORMAT      of nifti: nii.gz (default) or nii;
                         of labels: nii.gz (default), nii, nrrd (.seg.nrrd), npz or seg (DICOM)

For labels:

    --grid GRID          images: that of the images (default); own: that of the segmentation
    --overlap HOW        volumes: a fourth axis for parts that overlap (default);
                         files: a file for each such volume; last: a later part over an earlier one
    --threshold X        fractions and probabilities from X on are inside (default 0.5)
    --join               one file for everything over a series, not one for each segmentation

Files are chosen as for the viewer (negato --help): --filter, --where, --index, --overlay,
--no-recursive, --no-archives, --mask, --mask-key, and the options for other machines. --memory
and --log-level are those of the viewer, too.

Exit status: 0 all volumes are written, 1 some are not: they failed or exist, or there was none,
2 usage error. What is no volume is named with the reason, and is no failure.`;

/** Parses what follows `negato export`; undefined if only the help is wanted. Throws UsageError. */
export function parseExportArguments(words: readonly string[]): ExportArguments | undefined {
  if (words.length === 0 || words[0] === '--help' || words[0] === '-h') return undefined;
  const kind = EXPORT_KINDS.find((name) => name === words[0]);
  if (kind === undefined) {
    throw new UsageError(`negato export ${printable(words[0]!)}: what to export is ${listed(EXPORT_KINDS)}`);
  }
  const command = parseFileCommand(words.slice(1), { name: 'negato export', values: VALUES, switches: SWITCHES });
  if (command === undefined) return undefined;
  const { own, settings } = command;
  const out = own.get('--out');
  if (out === undefined) throw new UsageError('negato export requires --out DIR');
  const names = choose(own, '--names', NAME_STYLES) ?? 'flat';
  return { what: toExport(kind, own), out, names, settings };
}

function toExport(kind: ExportKind, own: ReadonlyMap<string, string>): ImageExport | LabelExport {
  if (kind === 'labels') {
    const overlap = choose(own, '--overlap', ['volumes', 'files', 'last']) ?? 'volumes';
    const format = choose(own, '--format', LABEL_FORMATS) ?? 'nii.gz';
    const grid = choose(own, '--grid', ['images', 'own']) ?? 'images';
    const isJoined = own.has('--join');
    if (isJoined && grid === 'own') throw new UsageError('--join needs one grid: it cannot be used with --grid own');
    if (isJoined && overlap === 'files') throw new UsageError('--join cannot be used with --overlap files');
    if (format === 'seg' && grid === 'own') throw new UsageError('--format seg cannot be used with --grid own');
    return { kind: 'labels', format, grid, overlap, threshold: parseThreshold(own), isJoined };
  }
  const foreign = OF_LABELS.find((flag) => own.has(flag));
  if (foreign !== undefined) throw new UsageError(`${foreign} is an option of negato export labels`);
  if (kind === 'nifti') return { kind: choose(own, '--format', ['nii.gz', 'nii']) ?? 'nii.gz' };
  if (own.has('--format')) throw new UsageError(`--format cannot be used with negato export ${kind}`);
  return { kind };
}

function parseThreshold(own: ReadonlyMap<string, string>): number | undefined {
  const text = own.get('--threshold');
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value >= 0.001 && value <= 1) return value;
  throw new UsageError(`--threshold ${printable(text)}: a number from 0.001 to 1`);
}

function choose<Name extends string>(
  own: ReadonlyMap<string, string>,
  flag: OwnValue,
  names: readonly Name[],
): Name | undefined {
  const text = own.get(flag);
  const name = names.find((one) => one === text);
  if (text === undefined || name !== undefined) return name;
  throw new UsageError(`${flag} ${printable(text)}: one of ${listed(names)}`);
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
