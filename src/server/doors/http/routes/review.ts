import { ViewerError } from '../../../../shared/contract/errors.ts';
import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import {
  MOST_REVIEW_UNITS,
  type ReviewResponse,
  type ReviewUnitResponse,
  type WireDecision,
  type WireReviewUnit,
} from '../../../../shared/contract/review.ts';
import type { TableFormat } from '../../../images/tables/writeTableFile.ts';
import { parseBody } from '../../../machine/workers/parseBody.ts';
import type { ReviewPage, ReviewProgress, ReviewStore, ReviewUnit } from '../../../work/review/reviews.ts';
import type { Decision } from '../../../work/review/verdictLine.ts';
import { buildIdentity } from '../buildIdentity.ts';
import type { Exchange } from '../exchange.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { readJsonBody } from '../readJsonBody.ts';
import { sendJson, sendLongJson } from '../sendJson.ts';
import { sendMade } from '../sendMade.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';

const USUAL_UNITS = 100;
const MAX_BODY_BYTES = 128 * 1024;

/** The review of `--review`. */
export function reviewRoutes({ review }: ServerContext) {
  const getReview = (): ReviewStore => {
    if (review !== undefined) return review;
    throw new ViewerError('no_review', 'there is no review; start negato with --review FILE --reader NAME');
  };

  const sendFile = async (c: Exchange, format: TableFormat, mediaType: string) => {
    const createdBy = `negato ${buildIdentity().version}`;
    return sendMade(c, getReview().write(format, createdBy, c.signal), [
      ['Content-Type', mediaType],
      ['Content-Disposition', `attachment; filename="negato-review.${format}"`],
    ]);
  };

  return {
    async review(c) {
      const query = parseQuery(ENDPOINTS.review.query, c);
      const { state = 'all', from = 0, files, offset = 0, limit = USUAL_UNITS } = query;
      const part = { state, from, files, offset, limit: Math.min(limit, MOST_REVIEW_UNITS) };
      const body: ReviewResponse = {
        review: review === undefined ? null : toWireReview(await review.page(part, c.signal)),
      };
      return sendLongJson(c, body);
    },
    async reviewUnit(c) {
      const unit = parsePathNumber(c, 'unit');
      return sendUnit(c, await getReview().read(unit));
    },
    async decide(c) {
      const unit = parsePathNumber(c, 'unit');
      const store = getReview();
      const body = parseBody(await readJsonBody(c, MAX_BODY_BYTES));
      return sendUnit(c, await store.decide(unit, body, { ifMatch: c.header('if-match') }));
    },
    reviewCsv: (c) => sendFile(c, 'csv', ENDPOINTS.reviewCsv.mediaType),
    reviewJsonl: (c) => sendFile(c, 'jsonl', ENDPOINTS.reviewJsonl.mediaType),
    reviewParquet: (c) => sendFile(c, 'parquet', ENDPOINTS.reviewParquet.mediaType),
  } satisfies Handlers;
}

function sendUnit(c: Exchange, { progress, ...unit }: ReviewUnit & { readonly progress: ReviewProgress }): void {
  c.setHeader('ETag', unit.etag);
  const body: ReviewUnitResponse = { ...toWireProgress(progress), unit: toWireUnit(unit) };
  return sendJson(c, body);
}

function toWireReview(page: ReviewPage): NonNullable<ReviewResponse['review']> {
  return {
    revision: page.revision,
    reader: page.reader,
    level: page.level,
    scheme: page.scheme,
    is_blind: page.isBlind,
    is_second: page.isSecond,
    other_readers: [...page.otherReaders],
    path: page.path,
    state: page.state,
    problem: page.problem ?? null,
    damage: page.damage ?? null,
    is_complete: page.isComplete,
    files_left_out: page.filesLeftOut,
    ...toWireProgress(page),
    chosen: page.chosen,
    units: page.units.map(toWireUnit),
  };
}

function toWireProgress({ total, decided, firstUndecided }: ReviewProgress) {
  return { total, decided, first_undecided: firstUndecided ?? null };
}

function toWireUnit({ number, position, level, study, series, instance, ...unit }: ReviewUnit): WireReviewUnit {
  return {
    unit: number,
    position: position ?? null,
    study,
    series: level === 'study' ? null : series,
    instance: level === 'file' ? instance : null,
    file: unit.file,
    files: unit.files,
    decision: unit.decision === undefined ? null : toWireDecision(unit.decision),
    others: unit.others.map(toWireDecision),
    etag: unit.etag,
  };
}

function toWireDecision({ reasons, scores, shownMs, ...words }: Decision): WireDecision {
  return { ...words, reasons: [...reasons], scores: { ...scores }, shown_ms: shownMs };
}
