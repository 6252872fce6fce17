import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { PreferredRegistrations, type RegistrationsResponse } from '../../../../shared/contract/registrations.ts';
import { listChoices, type AmbiguousSpace } from '../../../over/layers/registrationChoices.ts';
import { parseChecked, readJsonBody } from '../readJsonBody.ts';
import { parseQuery } from '../parseRequest.ts';
import { sendLongJson } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

const MOST_BODY_BYTES = 4096;

/** Registrations that lead to different places, and the decision of the user. */
export function registrationRoutes({ catalog, layers: { registrations: known } }: ServerContext) {
  const registrations: Handler = async (c) => {
    const { frame_of_reference } = parseQuery(ENDPOINTS.registrations.query, c);
    const { choices, problem } = await listChoices(known, frame_of_reference, { signal: c.signal });
    const body: RegistrationsResponse = {
      choices: choices.map(toWire),
      problem: problem ?? null,
      preferred_file_indices: [...known.preferred()],
    };
    return sendLongJson(c, body);
  };
  const preferRegistrations: Handler = async (c) => {
    const { files } = await parseChecked(
      PreferredRegistrations,
      await readJsonBody(c, MOST_BODY_BYTES),
      'the body must be {"files": [N]}',
    );
    for (const index of files) catalog.get(index);
    known.prefer(files);
    const body: PreferredRegistrations = { files: [...known.preferred()] };
    return sendLongJson(c, body);
  };
  return { registrations, preferRegistrations };
}

function toWire({ frameOfReferenceUid, ways, hasMore }: AmbiguousSpace): RegistrationsResponse['choices'][number] {
  return {
    frame_of_reference_uid: frameOfReferenceUid,
    ways: ways.map(({ via, words, motion, isChosen }) => ({
      via_file_indices: via.map(({ index }) => index),
      reason: words,
      angle_degrees: motion?.angleDegrees ?? null,
      shift_mm: motion?.shiftMm ?? null,
      rigid: motion?.isRigid ?? null,
      is_chosen: isChosen,
    })),
    has_more: hasMore,
  };
}
