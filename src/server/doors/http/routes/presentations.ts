import { findNamed } from '../../../over/presentation/findNamed.ts';
import { doInTurns } from '../../../machine/workers/doInTurns.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { sendJsonTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { writePresentation } from './writePresentation.ts';

export function presentationRoutes({ catalog, presentations }: ServerContext) {
  const presentation: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const record = await presentations.read(file, { signal: c.signal });
    const images = await doInTurns(findNamed(presentations, record.named), c.signal);
    return sendJsonTexts(c, writePresentation(file, record, images));
  };
  return { presentation };
}
