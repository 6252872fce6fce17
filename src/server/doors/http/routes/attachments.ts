import {
  AttachmentChoice,
  type AttachmentMatchesResponse,
  type AttachmentsResponse,
  MOST_COMPARED,
  MOST_OVERLAYS,
  type OverlaysResponse,
  type WireAttachment,
} from '../../../../shared/contract/attachments.ts';
import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { FLIP_AXES } from '../../../../shared/flipAxes.ts';
import { numberOfLayer } from '../../../../shared/layerRef.ts';
import type { Affine } from '../../../images/attachments/arrayHeader.ts';
import type { Attachment } from '../../../images/attachments/attachments.ts';
import type { Layers } from '../../../over/layers/layers.ts';
import { parseChecked, readJsonBody } from '../readJsonBody.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { sendJson, sendLongJson } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

const MOST_AT_ONCE = 500;

/** Model output beside the DICOM files: the list, and what each of it fits. */
export function attachmentRoutes({ catalog, attachments, layers, overlays }: ServerContext) {
  const list: Handler = async (c) => {
    const { since = 0, limit = MOST_AT_ONCE } = parseQuery(ENDPOINTS.attachments.query, c);
    const all = await attachments.list(c);
    const some = all.slice(since, since + Math.min(limit, MOST_AT_ONCE));
    const listed: WireAttachment[] = [];
    for (const attachment of some) {
      c.signal.throwIfAborted();
      listed.push(await toWire(attachment, layers));
    }
    const { scanComplete } = catalog.progress;
    const body: AttachmentsResponse = { attachments: listed, total: all.length, scan_complete: scanComplete };
    return sendLongJson(c, body);
  };
  const named: Handler = async (c) => {
    const { shown, truth, test } = await overlays.list(c);
    const { scanComplete } = catalog.progress;
    const body: OverlaysResponse = {
      layers: shown.slice(0, MOST_OVERLAYS),
      total: shown.length,
      truth: truth.slice(0, MOST_COMPARED),
      test: test.slice(0, MOST_COMPARED),
      scan_complete: scanComplete,
    };
    return sendJson(c, body);
  };
  const matches: Handler = async (c) => {
    const attachment = await attachments.get(parsePathNumber(c, 'attachment'), c);
    return sendLongJson(c, toMatches(attachment, await layers.attachment.places(attachment)));
  };
  const chooseStack: Handler = async (c) => {
    const attachment = await attachments.get(parsePathNumber(c, 'attachment'), c);
    const {
      file,
      frame,
      order = 0,
      flips = [],
    } = await parseChecked(AttachmentChoice, await readJsonBody(c, MOST_BODY_BYTES), CHOICE_WORDS);
    const target = file === null ? undefined : { file: catalog.get(file), frame };
    const [columns, rows, slices] = FLIP_AXES.map((axis) => flips.includes(axis));
    const arrangement = { order, flips: { columns: columns!, rows: rows!, slices: slices! } };
    const places = await layers.attachment.choose(attachment, target, arrangement);
    return sendLongJson(c, toMatches(attachment, places));
  };
  return { overlays: named, attachments: list, attachmentMatches: matches, chooseStack };
}

function toMatches(
  attachment: Attachment,
  { placement, over, matches }: Awaited<ReturnType<Layers['attachment']['places']>>,
): AttachmentMatchesResponse {
  return {
    attachment: attachment.number,
    placement: { status: placement.status, reason: placement.reason },
    matches: matches.flatMap(({ grid, answer, orders, hasOther, flips }) => {
      const { method, reason } = answer;
      const [first] = grid.frames;
      if (method === 'none' || first === undefined) return [];
      return [
        {
          file_index: first.file.index,
          frame_index: first.frame,
          method,
          reason,
          residual_mm: ('residualMm' in answer ? answer.residualMm : undefined) ?? null,
          orders: [...orders],
          readings: hasOther === true ? 2 : 1,
          flips: [...flips],
          is_chosen: over.some((one) => one.grid === grid),
        },
      ];
    }),
  };
}

const MOST_BODY_BYTES = 1024;

const CHOICE_WORDS =
  'the body must be {"file": N, "frame": N}, with a number or null for the file, and perhaps "order": N and "flips": [AXIS]';

async function toWire(attachment: Attachment, { attachment: layers }: Layers): Promise<WireAttachment> {
  const { number, path, format, content } = attachment;
  const { placement, over } = await layers.places(attachment);
  const choice = await layers.choiceOf(attachment);
  const array = content.kind === 'array' ? content : undefined;
  const header = array?.header;
  const picture = content.kind === 'pictures' ? content.pictures[0]?.header : undefined;
  return {
    attachment: number,
    layer: numberOfLayer({ attachment: number }),
    path,
    format,
    member: array?.member ?? null,
    title: layers.nameOf(attachment),
    shape: picture === undefined ? [...(header?.shape ?? [])] : [picture.rows, picture.columns],
    dtype: picture === undefined ? (header?.element ?? null) : `${picture.colors} ${picture.bits}`,
    affine_lps: header?.affine === undefined ? null : toMatrix(header.affine),
    affine_source: header?.affineSource ?? null,
    labels: (header?.labels ?? []).map(({ value, name, color }) => ({
      value,
      name: name ?? null,
      color: color === undefined ? null : [...color],
    })),
    is_requested: attachment.namedAs !== undefined,
    placement: { status: placement.status, reason: placement.reason },
    over_file_indices: over.map(({ grid }) => grid.first.index),
    choice:
      choice === undefined
        ? null
        : {
            file_index: choice.frame.file.index,
            frame_index: choice.frame.frame,
            order: choice.arrangement.order,
            flips: FLIP_AXES.filter((axis) => choice.arrangement.flips[axis]),
          },
    warnings: (header?.warnings ?? []).map(({ code, message }) => ({ code, message })),
  };
}

function toMatrix([ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z]: Affine): number[] {
  return [ax, bx, cx, x, ay, by, cy, y, az, bz, cz, z, 0, 0, 0, 1];
}
