import { randomBytes } from 'node:crypto';

/**
 * One-time tickets for the token. A program that writes the address of the page where it stays, such as the output of a
 * notebook cell, puts a ticket into it: once the page has traded it, or the time is over, it is worth nothing.
 */
export type Tickets = {
  issue(): string;
  /** The token; undefined if the ticket was never issued, was used, or is too old. */
  redeem(ticket: string): string | undefined;
};

/** The cells of a notebook are drawn when the user scrolls to them. */
export const TICKET_SECONDS = 3_600;
/** Older ones are forgotten. */
const MOST_TICKETS = 256;

export function createTickets(token: string, now: () => number = () => performance.now()): Tickets {
  /** When each ends. A lookup by hash takes no time that would reveal a part of a ticket. */
  const tickets = new Map<string, number>();
  return {
    issue() {
      const ticket = randomBytes(32).toString('base64url');
      tickets.set(ticket, now() + TICKET_SECONDS * 1000);
      const [eldest] = tickets.keys();
      if (tickets.size > MOST_TICKETS && eldest !== undefined) tickets.delete(eldest);
      return ticket;
    },
    redeem(ticket) {
      const endsAt = tickets.get(ticket);
      tickets.delete(ticket);
      return endsAt !== undefined && now() < endsAt ? token : undefined;
    },
  };
}
