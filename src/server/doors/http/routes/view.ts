import { ViewerError } from '../../../../shared/contract/errors.ts';
import {
  PageReport,
  type PageOrders,
  ViewPictureChoice,
  type PictureReceipt,
  ViewChange,
  type ViewResponse,
  type ViewWish,
} from '../../../../shared/contract/view.ts';
import type { Exchange } from '../exchange.ts';
import { parseChecked, readBody, readJsonBody } from '../readJsonBody.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { createSendBytes } from '../sendBytes.ts';
import { sendJson } from '../sendJson.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';

const MOST_JSON_BYTES = 128 * 1024;
/** A screen of noise in 8K is smaller. */
const MOST_PICTURE_BYTES = 160 * 1024 * 1024;
const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** What the pages of this server show: programs read and change it, and the pages follow. */
export function viewRoutes({ catalog, pages, memory, closing }: ServerContext) {
  const sendBytes = createSendBytes(memory.answers);
  const untilGone = (c: Exchange) => AbortSignal.any([c.signal, closing]);

  const refuseUnknownPlace = ({ file, sop, series, address, frame }: ViewWish) => {
    if ([file, sop, series, address].filter((place) => place !== undefined).length > 1) {
      throw new ViewerError('invalid_json', 'give only one of file, sop, series and address');
    }
    if (file === undefined) return;
    const { frameCount } = catalog.get(file);
    if (frame !== undefined && frame >= Math.max(1, frameCount)) {
      throw new ViewerError('frame_out_of_range', `file ${file} has ${frameCount} frames`);
    }
  };

  return {
    async view(c) {
      const shown = pages.count() === 0 ? null : await pages.ask({ kind: 'look' }, untilGone(c));
      return sendJson(c, { pages: pages.count(), view: shown } satisfies ViewResponse);
    },
    async changeView(c) {
      const body = await readJsonBody(c, MOST_JSON_BYTES);
      const { wait = false, ...wish } = await parseChecked(ViewChange, body, WORDS.change);
      refuseUnknownPlace(wish);
      if (wait) {
        const shown = await pages.ask({ kind: 'show', wish }, untilGone(c));
        return sendJson(c, { pages: pages.count(), view: shown } satisfies ViewResponse);
      }
      pages.show(wish);
      return sendJson(c, { pages: pages.count(), view: null } satisfies ViewResponse);
    },
    async viewPicture(c) {
      const choice = await parseChecked(ViewPictureChoice, await readJsonBody(c, MOST_JSON_BYTES), WORDS.picture);
      if (choice.size === 'stored' && choice.cell === undefined) {
        throw new ViewerError('invalid_json', 'the size "stored" needs a cell');
      }
      const png = await pages.askPicture(choice, untilGone(c));
      return sendBytes(c, png, [['Content-Type', 'image/png']]);
    },
    async reportPage(c) {
      const report = await parseChecked(PageReport, await readJsonBody(c, MOST_JSON_BYTES), WORDS.report);
      return sendJson(c, { next: pages.report(report) ?? null } satisfies PageOrders);
    },
    async givePicture(c) {
      const request = parsePathNumber(c, 'request');
      if (!pages.awaitsPicture(request)) return sendJson(c, { accepted: false } satisfies PictureReceipt);
      if (c.header('content-type') !== 'image/png') {
        throw new ViewerError('unsupported_media_type', 'the body must be image/png');
      }
      const bytes = Math.min(Number(c.header('content-length') ?? MOST_PICTURE_BYTES), MOST_PICTURE_BYTES);
      const reservation = { bytes, isUpperBound: true, signal: c.signal };
      const accepted = await memory.answers.reserve(reservation, async () => {
        const png = await readBody(c, MOST_PICTURE_BYTES);
        if (!PNG_SIGNATURE.every((byte, at) => png[at] === byte)) {
          throw new ViewerError('unsupported_media_type', 'the body is no PNG');
        }
        return pages.givePicture(request, png);
      });
      return sendJson(c, { accepted } satisfies PictureReceipt);
    },
  } satisfies Handlers;
}

const WORDS = {
  change:
    'the body must be {"file": N} or {"sop": UID} or {"series": UID} or {"address": TEXT}, and perhaps "frame": N, ' +
    '"window": {"center": X, "width": X}, "cell": N and "wait": true',
  picture: 'the body may have "cell": N, "overlays": false and "size": "screen" or "stored"',
  report: 'the body must be a report of a page',
} as const;
