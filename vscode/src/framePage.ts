/** The page of a tab: nothing but a frame with the viewer. */
export function framePage(address: string): string {
  const { origin } = new URL(address);
  const policy = `default-src 'none'; frame-src ${origin}; style-src 'unsafe-inline'`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">`,
    '<style>html, body, iframe { border: 0; height: 100%; margin: 0; padding: 0; width: 100%; overflow: hidden }</style>',
    '<title>negato</title></head>',
    `<body><iframe src="${escapeHtml(address)}" title="negato" allow="clipboard-write; fullscreen"></iframe></body></html>`,
  ].join('\n');
}

/** What a tab shows instead of the viewer. */
export function messagePage(message: string): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">`,
    '<style>body { padding: 2em; white-space: pre-wrap }</style>',
    `<title>negato</title></head><body>${escapeHtml(message)}</body></html>`,
  ].join('\n');
}

/** The address of the page as the browser of the editor reaches it, which may be another machine. */
export function pageAddress(externalUrl: string, token: string): string {
  const url = new URL(externalUrl);
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  url.hash = `token=${encodeURIComponent(token)}`;
  return url.href;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
