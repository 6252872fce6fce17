import { expect, test } from 'vitest';
import { createTickets, TICKET_SECONDS } from './tickets.ts';

test('a ticket is worth the token once', () => {
  const tickets = createTickets('the token');
  const ticket = tickets.issue();
  expect(tickets.redeem(`${ticket}x`)).toBeUndefined();
  expect(tickets.redeem(ticket)).toBe('the token');
  expect(tickets.redeem(ticket)).toBeUndefined();
});

test('a ticket ends with its time', () => {
  let ms = 0;
  const tickets = createTickets('the token', () => ms);
  const [early, late] = [tickets.issue(), tickets.issue()];
  ms = TICKET_SECONDS * 1000 - 1;
  expect(tickets.redeem(early)).toBe('the token');
  ms += 1;
  expect(tickets.redeem(late)).toBeUndefined();
});

test('tickets that nobody uses do not fill the memory: the eldest are forgotten', () => {
  const tickets = createTickets('the token');
  const all = Array.from({ length: 257 }, () => tickets.issue());
  expect(tickets.redeem(all[0]!)).toBeUndefined();
  expect(tickets.redeem(all[1]!)).toBe('the token');
});
