import { MOST_SHEET_SLICES, SHEET_PLANES, SHEET_WIDTH, type SheetPlane } from '../../shared/contract/sheets.ts';
import type { SheetWindow } from '../../server/over/sheets/stackTiles.ts';
import { parseFileCommand } from '../fileCommand.ts';
import { printable } from '../printable.ts';
import type { Settings } from '../settings.ts';
import { UsageError } from '../usageError.ts';

/** The arguments of `negato sheet`. */
export type SheetArguments = {
  /** A name that ends in .html, or a folder. */
  readonly out: string;
  readonly isPage: boolean;
  readonly slices: number;
  readonly columns: number | undefined;
  readonly width: number;
  readonly plane: SheetPlane;
  readonly window: SheetWindow;
  readonly hasLayers: boolean;
  /** Which files are opened, as for the viewer. */
  readonly settings: Settings;
};

const VALUES = ['--out', '--slices', '--columns', '--width', '--plane', '--window'] as const;
const SWITCHES = ['--layers'] as const;
const MOST_WIDTH = 2048;
const MOST_COLUMNS = 32;

export const SHEET_HELP = `negato sheet PATH... --out FILE.html [options]
negato sheet PATH... --out DIR [options]

Writes key slices of every series, as pictures to look through: one HTML file that has everything
in it and opens from a mail, or a folder with a PNG for each series and a page over them. Files
are never replaced. Lists what is left out, and why.

    --out OUT            a name that ends in .html, or a folder
    --slices N           pictures of each series, 1 to ${MOST_SHEET_SLICES} (default 9)
    --columns N          pictures in a row (default: a square)
    --width PIXELS       width of each sheet (default ${SHEET_WIDTH})
    --plane PLANE        native (default), axial, coronal or sagittal
    --window WINDOW      auto (default): as the viewer shows the series; file: as each image says;
                         or center and width, such as 40,400
    --layers             draw masks, contours and marks over the images

Files are chosen as for the viewer (negato --help): --filter, --where, --index, --overlay,
--no-recursive, --no-archives, --mask, --mask-key, and the options for other machines. --memory
and --log-level are those of the viewer, too.

In an HTML file pictures are JPEG of quality 90, in a folder PNG. Neither is for measuring.
Exit status: 0 written, 1 some series failed, nothing was found, or OUT exists, 2 usage error.`;

/** Parses what follows `negato sheet`; undefined if only the help is wanted. Throws UsageError. */
export function parseSheetArguments(words: readonly string[]): SheetArguments | undefined {
  if (words.length === 0) return undefined;
  const command = parseFileCommand(words, { name: 'negato sheet', values: VALUES, switches: SWITCHES });
  if (command === undefined) return undefined;
  const { own, settings } = command;
  const out = own.get('--out');
  if (out === undefined) throw new UsageError('negato sheet requires --out FILE.html or --out DIR');
  return {
    out,
    isPage: /\.html?$/i.test(out),
    slices: parseCount(own, '--slices', { least: 1, most: MOST_SHEET_SLICES }) ?? 9,
    columns: parseCount(own, '--columns', { least: 1, most: MOST_COLUMNS }),
    width: parseCount(own, '--width', { least: 16, most: MOST_WIDTH }) ?? SHEET_WIDTH,
    plane: parsePlane(own.get('--plane')),
    window: parseWindow(own.get('--window')),
    hasLayers: own.has('--layers'),
    settings,
  };
}

function parseCount(
  own: ReadonlyMap<string, string>,
  flag: (typeof VALUES)[number],
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  const text = own.get(flag);
  if (text === undefined) return undefined;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${flag} ${printable(text)}: a whole number from ${least} to ${most}`);
}

function parsePlane(text: string | undefined): SheetPlane {
  const plane = SHEET_PLANES.find((one) => one === (text ?? 'native'));
  if (plane !== undefined) return plane;
  throw new UsageError(`--plane ${printable(text ?? '')}: native, axial, coronal or sagittal`);
}

function parseWindow(text = 'auto'): SheetWindow {
  if (text === 'auto' || text === 'file') return text;
  const [center = NaN, width = NaN, ...more] = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (Number.isFinite(center) && Number.isFinite(width) && width > 0 && more.length === 0) return { center, width };
  throw new UsageError(`--window ${printable(text)}: auto, file, or center and width such as 40,400`);
}
