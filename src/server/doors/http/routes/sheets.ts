import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../../shared/contract/headers.ts';
import { SHEET_WIDTH } from '../../../../shared/contract/sheets.ts';
import { parseWindowChoice } from '../../../images/pixels/frames.ts';
import type { SheetSubject, SheetWish } from '../../../over/sheets/sheets.ts';
import type { SheetWindow } from '../../../over/sheets/stackTiles.ts';
import type { Exchange } from '../exchange.ts';
import { parseQuery } from '../parseRequest.ts';
import { createSendBytes } from '../sendBytes.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';

export function sheetRoutes({ sheets, memory }: ServerContext) {
  const sendBytes = createSendBytes(memory.answers);

  return {
    async sheet(c) {
      const query = parseQuery(ENDPOINTS.sheet.query, c);
      const { slices = 9, columns, plane = 'native', window = 'auto', w = SHEET_WIDTH, layers = '0' } = query;
      const wish = { of: subjectOf(c), slices, columns, plane, window: parseSheetWindow(window), width: w };
      // Of low priority, because the images that someone looks at come first.
      const options = { signal: c.signal, priority: 'prefetch' } as const;
      const made = await sheets.make(
        { ...wish, hasLayers: layers === '1', errors: parseErrors(query.errors) },
        options,
      );
      const problems = made.problems.map(({ tile, code }) => `${tile}:${code}`).join();
      return sendBytes(c, made.bytes, [
        ['Content-Type', 'image/png'],
        [HEADER.cache, made.cached ? 'HIT' : 'MISS'],
        [HEADER.sheetColumns, made.across],
        [HEADER.sheetTiles, made.tiles.join()],
        ...(made.window === undefined
          ? []
          : [[HEADER.windowCenter, made.window.center] as const, [HEADER.windowWidth, made.window.width] as const]),
        ...(problems === '' ? [] : [[HEADER.sheetProblems, problems] as const]),
        ...(made.leftOut.length === 0 ? [] : [[HEADER.sheetLeftOut, made.leftOut.join('; ')] as const]),
      ]);
    },
  } satisfies Handlers;
}

function parseErrors(text: string | undefined): SheetWish['errors'] {
  if (text === undefined || text === 'named') return text;
  const [truth = NaN, test = NaN] = text.split(':').map(Number);
  return { truth, test };
}

/** `file/7` is the series of file 7, for series whose UIDs no address can have. */
function subjectOf({ parameters: { study = '', series = '' } }: Exchange): SheetSubject {
  if (study === 'file' && /^\d{1,9}$/.test(series)) return { fileIndex: Number(series) };
  return { studyInstanceUid: study, seriesInstanceUid: series };
}

/** The schema has checked its form. */
function parseSheetWindow(text: string): SheetWindow {
  if (text === 'auto' || text === 'file') return text;
  const [wc = NaN, ww = NaN] = text.split(',').map(Number);
  const choice = parseWindowChoice({ wc, ww });
  return choice.kind === 'explicit' ? { center: choice.center, width: choice.width } : 'file';
}
