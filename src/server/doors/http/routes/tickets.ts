import { ViewerError } from '../../../../shared/contract/errors.ts';
import { TicketBody, type TicketResponse, type TokenResponse } from '../../../../shared/contract/tickets.ts';
import { parseChecked, readJsonBody } from '../readJsonBody.ts';
import { sendJson } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { TICKET_SECONDS } from '../tickets.ts';

const MOST_BODY_BYTES = 1024;

/** See `Tickets`. */
export function ticketRoutes({ tickets }: ServerContext) {
  const issueTicket: Handler = (c) => {
    const body: TicketResponse = { ticket: tickets.issue(), expires_in_s: TICKET_SECONDS };
    return sendJson(c, body);
  };
  const redeemTicket: Handler = async (c) => {
    const words = 'the body must be {"ticket": TEXT}';
    const { ticket } = await parseChecked(TicketBody, await readJsonBody(c, MOST_BODY_BYTES), words);
    const token = tickets.redeem(ticket);
    if (token === undefined) throw new ViewerError('unauthorized', 'this ticket was used before, or is too old');
    return sendJson(c, { token } satisfies TokenResponse);
  };
  return { issueTicket, redeemTicket };
}
