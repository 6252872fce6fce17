import { AUDIT_NAMES, type AuditResponse } from '../../../../shared/contract/audits.ts';
import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { AuditOutcome } from '../../../images/audits/audits.ts';
import { parseQuery } from '../parseRequest.ts';
import { sendJsonTexts } from '../sendJson.ts';
import { closeObject, openObject, writeArray } from '../../../machine/workers/jsonPieces.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';

export function auditRoutes({ audits }: ServerContext) {
  return {
    async audit(c) {
      const { where, values, pixels } = parseQuery(ENDPOINTS.audit.query, c);
      const name = AUDIT_NAMES.find((known) => known === c.parameters['audit']);
      if (name === undefined) throw new ViewerError('invalid_path', `there are the audits ${AUDIT_NAMES.join(', ')}`);
      const wish = { names: [name], where, showsValues: values === '1', comparesPixels: pixels === '1', isKept: true };
      const outcome = await audits.run(wish, { signal: c.signal });
      return sendJsonTexts(c, writeAudit(outcome));
    },
  } satisfies Handlers;
}

/** One finding after the other, because there may be many. */
function* writeAudit({ files, unread, audits }: AuditOutcome): Generator<string, void> {
  for (const { audit, findings, total, isComplete } of audits) {
    const head = { audit, files, unread } satisfies Partial<AuditResponse>;
    yield `${openObject(head)},"findings":`;
    yield* writeArray(findings, (finding) => JSON.stringify(finding));
    yield closeObject({ total, is_complete: isComplete } satisfies Partial<AuditResponse>);
  }
}
