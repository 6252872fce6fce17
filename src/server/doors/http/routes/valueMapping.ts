import type { ValueMappingResponse } from '../../../../shared/contract/valueMapping.ts';
import { closeObject, openObject, writeArray } from '../../../machine/workers/jsonPieces.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { sendJsonTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

export function valueMappingRoutes({ catalog, semantics }: ServerContext) {
  const valueMapping: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const frame = parsePathNumber(c, 'frame');
    return sendJsonTexts(c, writeResponse(await semantics.values(catalog.get(index), frame, { signal: c.signal })));
  };
  return { valueMapping };
}

/** Each lookup table is sent in a separate piece, because it can have 65,536 values. */
function* writeResponse({ real_world, voi_lut, ...around }: ValueMappingResponse): Generator<string> {
  yield `${openObject(around)},"real_world":`;
  yield* writeArray(real_world, (each) => JSON.stringify(each));
  yield closeObject({ voi_lut });
}
