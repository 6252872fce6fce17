import { basename, dirname } from 'node:path';
import { SKIP_REASON_TEXTS } from '../../shared/skipReasonTexts.ts';
import { ViewerError } from '../../shared/contract/errors.ts';
import { buildIdentity } from '../../server/doors/http/buildIdentity.ts';
import type { Domains } from '../../server/createDomains.ts';
import type { MadeSheet } from '../../server/over/sheets/sheets.ts';
import { waitFor } from '../export/exportJob.ts';
import { nameExports } from '../export/exportNames.ts';
import { openOutputFolder, OutputFailure, type OutputFolder } from '../export/outputFolder.ts';
import type { Surroundings } from '../openFiles.ts';
import { printable } from '../printable.ts';
import { runFileCommand } from '../runFileCommand.ts';
import { toServerLog } from '../serverLog.ts';
import type { Terminal } from '../terminal.ts';
import { type CountedSeries, listSeries } from './listSeries.ts';
import type { SheetArguments } from './sheetArguments.ts';
import {
  beginSection,
  endSection,
  type LeftOutOfPage,
  nameCard,
  nameStudy,
  type PagePicture,
  writeCard,
  writeEnd,
  writeHead,
} from './sheetPage.ts';

/** What says that a series has no such pictures; all other codes are failures. */
const REFUSALS: ReadonlySet<string> = new Set([
  'volume_unavailable',
  'semantic_mapping_unavailable',
  'unsupported_transfer_syntax',
]);
/** Of the JPEG pictures in a page, which a mail has to carry. */
const QUALITY = 90;
/** Paths that are named for each reason why files are not shown. */
const MOST_NAMED = 100;
/** Sheets that are made at the same time. */
const AT_ONCE = 3;

type Running = {
  readonly given: SheetArguments;
  readonly folder: OutputFolder;
  readonly domains: Domains;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
};

/** Runs `negato sheet` and returns the exit code. Throws UsageError. */
export function runSheet(given: SheetArguments, surroundings: Surroundings): Promise<0 | 1> {
  const { terminal } = surroundings;
  return runFileCommand(
    given.settings,
    {
      async open(leftovers) {
        const folder = await openOutputFolder(given.isPage ? dirname(given.out) : given.out, leftovers);
        const known = await folder.findExisting(stemOf(given), endingOf(given), false);
        if (known !== undefined) throw new OutputFailure(`${printable(known)} exists and is not replaced`);
        return folder;
      },
      work: (domains, folder, signal) => writeSheets({ given, folder, domains, terminal, signal }),
    },
    surroundings,
  );
}

function stemOf({ out, isPage }: SheetArguments): string {
  return isPage ? basename(out).replace(/\.html?$/i, '') : 'index';
}

function endingOf({ out, isPage }: SheetArguments): string {
  return isPage ? (/\.html?$/i.exec(out)?.[0] ?? '.html') : '.html';
}

type Totals = { shown: number; failed: number };

async function writeSheets(running: Running): Promise<0 | 1> {
  const { given, folder, terminal, domains } = running;
  const totals: Totals = { shown: 0, failed: 0 };
  const pieces = writePage(running, totals);
  const written = await folder.write(
    { stem: stemOf(given), ending: endingOf(given), pieces, sidecar: undefined },
    () => {},
  );
  terminal.progress(undefined);
  const name = `${stemOf(given)}${endingOf(given)}`;
  if ('exists' in written) {
    terminal.error(`${printable(name)} exists and is not replaced`);
    return 1;
  }
  const { shown, failed } = totals;
  terminal.say(`${printable(name)}: ${shown} series${failed > 0 ? `, ${failed} failed` : ''}, ${written.bytes} bytes`);
  if (domains.catalog.files.length === 0) terminal.error('there is no DICOM file');
  return failed === 0 && shown > 0 ? 0 : 1;
}

async function* writePage(running: Running, totals: Totals): AsyncGenerator<Uint8Array> {
  const { given, domains, terminal } = running;
  const { studies, alone } = listSeries(domains.catalog);
  const all = [...studies.flatMap(({ series }) => series), ...alone];
  const stems = nameExports(
    all.map(({ of, seriesInstanceUid }) => ({ of, title: undefined, key: `${seriesInstanceUid} ${of.path}` })),
    'flat',
  );
  const leftOut: LeftOutOfPage[] = [];
  const text = new TextEncoder();
  yield text.encode(writeHead({ isAlone: given.isPage, about: describeSheet(given, all.length) }));
  const made = makeAhead(all, (series, at) => makeCard(series, { ...running, totals, leftOut, stem: stems[at]! }));
  const sections = studies.map(({ of, series }) => ({ name: nameStudy(of), count: series.length }));
  if (alone.length > 0) sections.push({ name: 'Files without Study or Series Instance UID', count: alone.length });
  try {
    for (const { name, count } of sections) {
      yield text.encode(beginSection(name));
      for (let n = 0; n < count; n += 1) {
        const { value: card } = await made.next();
        terminal.progress(`${totals.shown + totals.failed} of ${all.length}`);
        if (card !== undefined) yield text.encode(card);
      }
      yield text.encode(endSection());
    }
  } finally {
    await made.return(undefined);
  }
  yield text.encode(writeEnd([...leftOut, ...listNotShown(domains)]));
}

function describeSheet({ slices, plane, window, hasLayers }: SheetArguments, count: number): string[] {
  const shown = typeof window === 'string' ? window : `${window.center}, ${window.width}`;
  const parts = [`${count} series`, `up to ${slices} pictures each`, `plane ${plane}`, `window ${shown}`];
  if (hasLayers) parts.push('with masks, contours and marks');
  return [
    `${parts.join(' · ')}.`,
    `Made by negato ${buildIdentity().version}. Small pictures for looking through, not for diagnosis or measuring. An orange corner says that a picture is damaged; a crossed box, that it could not be made.`,
  ];
}

/** Results in the order of the items, some of which are worked on ahead. */
async function* makeAhead<Item, Result>(
  items: readonly Item[],
  make: (item: Item, at: number) => Promise<Result>,
): AsyncGenerator<Result, undefined> {
  const running: Promise<Result>[] = [];
  try {
    for (const at of items.keys()) {
      while (running.length < AT_ONCE && at + running.length < items.length) {
        const next = at + running.length;
        running.push(make(items[next]!, next));
      }
      yield await running.shift()!;
    }
  } finally {
    await Promise.allSettled(running);
  }
  return undefined;
}

type Making = Running & { readonly totals: Totals; readonly leftOut: LeftOutOfPage[]; readonly stem: string };

/** The card of a series; undefined for one that is left out. */
async function makeCard(series: CountedSeries, making: Making): Promise<string | undefined> {
  const { domains, given, signal, totals, leftOut, terminal } = making;
  const { of } = series;
  signal.throwIfAborted();
  const { slices, columns, plane, window, width, hasLayers } = given;
  const jpegQuality = given.isPage ? QUALITY : undefined;
  const wish = { of: { fileIndex: of.index }, slices, columns, plane, window, width, hasLayers, jpegQuality };
  try {
    const sheet = await waitFor(signal, () => domains.sheets.make(wish, { signal, priority: 'interactive' }));
    const picture = await keepPicture(sheet, making);
    totals.shown += 1;
    return writeCard({ series, picture, notes: noteProblems(sheet) });
  } catch (error) {
    if (signal.aborted || error instanceof OutputFailure) throw error;
    if (!(error instanceof ViewerError)) {
      totals.failed += 1;
      toServerLog(terminal).error(`failed: ${nameCard(of)}`, error);
      leftOut.push({ what: nameCard(of), reason: 'an internal error' });
      return undefined;
    }
    if (error.code === 'no_pixel_data') {
      totals.shown += 1;
      return writeCard({ series, picture: undefined, notes: [] });
    }
    if (!REFUSALS.has(error.code)) totals.failed += 1;
    leftOut.push({ what: `${nameCard(of)} (${of.modality})`, reason: error.message });
    return undefined;
  }
}

async function keepPicture({ bytes, rows, columns }: MadeSheet, { given, folder, stem }: Making): Promise<PagePicture> {
  const size = { width: columns, height: rows };
  if (given.isPage) return { ...size, source: `data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}` };
  const written = await folder.write({ stem, ending: '.png', pieces: [bytes], sidecar: undefined }, () => {});
  if ('exists' in written) throw new OutputFailure(`${printable(written.exists)} exists and is not replaced`);
  return { ...size, source: encodeURI(`${stem}.png`) };
}

function noteProblems({ problems, leftOut }: MadeSheet): string[] {
  const pictures = problems.map(({ tile, code }) => `Picture ${tile + 1}: ${code.replaceAll('_', ' ')}`);
  return [...pictures, ...leftOut.map((line) => `Not drawn: ${line.replaceAll('_', ' ')}`)];
}

function listNotShown({ catalog }: Domains): LeftOutOfPage[] {
  const found: LeftOutOfPage[] = [];
  for (const [reason, count] of catalog.skippedByReason()) {
    const { entries } = catalog.notShown({ reason, offset: 0, limit: MOST_NAMED });
    const words = SKIP_REASON_TEXTS[reason];
    found.push(...entries.map(({ path }) => ({ what: path, reason: words })));
    const more = count - entries.length;
    if (more > 0) found.push({ what: `${more} ${entries.length === 0 ? '' : 'more '}files`, reason: words });
  }
  return found;
}
