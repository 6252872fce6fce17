import type { Context } from 'hono';
import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../shared/contract/headers.ts';
import {
  PACKET_ENDPOINTS,
  PACKET_KINDS,
  type PacketEndpoint,
  type PacketKind,
} from '../../../shared/contract/layers.ts';
import type { WrittenPacket } from '../../layers/layerProvider.ts';
import { gridOfQuery } from '../../volumes/planeQuery.ts';
import { createHoldAnswer } from '../sendBytes.ts';
import { parsePathNumber, parsePriority, parseQuery } from '../parseRequest.ts';
import { sendCompressible } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { damageHeaders } from './frames.ts';

type PacketRoutes = { readonly [Name in PacketEndpoint | 'layerPlane']: Handler };

/** What a layer puts over one frame, for every kind of layer that has an endpoint, and over a plane. */
export function layerRoutes({ catalog, memory, layers }: ServerContext): PacketRoutes {
  const holdAnswer = createHoldAnswer(memory.answers);
  const sendPacket = async (c: Context, { bytes, cached, damage }: WrittenPacket) => {
    const headers = {
      'Content-Type': 'application/octet-stream',
      [HEADER.cache]: cached ? 'HIT' : 'MISS',
      ...Object.fromEntries(damageHeaders(damage)),
    };
    await holdAnswer(c, bytes.length);
    return sendCompressible(c, bytes, headers);
  };
  const createHandler =
    (kind: PacketKind): Handler =>
    async (c) => {
      const file = catalog.get(parsePathNumber(c, 'index'));
      const query = parseQuery(ENDPOINTS[PACKET_ENDPOINTS[kind]].query, c);
      const target = { file: catalog.get(query.source_file), frame: query.source_frame };
      return sendPacket(c, await layers.packet(file, kind, target, wantedBy(c)));
    };
  const layerPlane: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const { frame_of_reference, slab = 0, ...shape } = parseQuery(ENDPOINTS.layerPlane.query, c);
    const target = { frameOfReferenceUid: frame_of_reference, grid: gridOfQuery(shape), slabMm: slab };
    return sendPacket(c, await layers.planePacket(file, target, wantedBy(c)));
  };
  const routes = PACKET_KINDS.map((kind) => [PACKET_ENDPOINTS[kind], createHandler(kind)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made from the same table
  return { ...Object.fromEntries(routes), layerPlane } as PacketRoutes;
}

function wantedBy(c: Context) {
  return { signal: c.req.raw.signal, priority: parsePriority(c.req.header('priority')) };
}
