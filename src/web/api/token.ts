const STORAGE_KEY = 'negato-token';

/**
 * Moves the token of the launch link out of the address bar, because it would stay in the history and in screenshots.
 */
export function takeTokenFromUrl(): void {
  const parts = location.hash.slice(1).split('&');
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return;
  sessionStorage.setItem(STORAGE_KEY, token);
  const rest = parts.filter((part) => !part.startsWith('token=')).join('&');
  history.replaceState(null, '', location.pathname + location.search + (rest === '' ? '' : `#${rest}`));
}

/** The token of this tab; it survives a reload. */
export function findToken(): string | undefined {
  return sessionStorage.getItem(STORAGE_KEY) ?? undefined;
}
