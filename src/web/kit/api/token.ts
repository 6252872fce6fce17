import type { TokenResponse } from '../../../shared/contract/tickets.ts';

/** Behind a proxy several viewers share an origin. */
function storageKey(): string {
  return `negato-token ${location.pathname}`;
}

/**
 * Moves the token of the launch link out of the address bar, because it would stay in the history and in screenshots. A
 * ticket is traded for the token first.
 */
export async function takeTokenFromUrl(): Promise<void> {
  const parts = location.hash.slice(1).split('&');
  const given = new URLSearchParams(location.hash.slice(1));
  const ticket = given.get('ticket');
  let token = given.get('token');
  if (token === null && ticket === null) return;
  const rest = parts.filter((part) => !/^(token|ticket)=/.test(part)).join('&');
  history.replaceState(null, '', location.pathname + location.search + (rest === '' ? '' : `#${rest}`));
  if (ticket !== null) token = await redeem(ticket);
  // The ticket in the output of a notebook was used before, by this tab: it still has the token.
  if (token !== null) sessionStorage.setItem(storageKey(), token);
}

async function redeem(ticket: string): Promise<string | null> {
  try {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch('api/token', { method: 'POST', headers, body: JSON.stringify({ ticket }) });
    const body: Partial<TokenResponse> = await response.json();
    return body.token ?? null;
  } catch {
    return null;
  }
}

/** The token of this tab; it survives a reload. */
export function findToken(): string | undefined {
  return sessionStorage.getItem(storageKey()) ?? undefined;
}
