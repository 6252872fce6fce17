const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  // The page's only policy, which creates the URL of its worker.
  'trusted-types negato',
];

/** For bytes of files, which are never shown as a page. */
export const SANDBOXED = "default-src 'none'; sandbox; frame-ancestors 'none'";

const OTHER_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), payment=()',
  'Cache-Control': 'no-store',
};

/**
 * Sent with every response, whatever code sends it. Routes replace Cache-Control for content that may be cached.
 * `embedders` are the pages that may show the viewer in a frame, as sources of a content security policy.
 */
export function securityHeaders(embedders: readonly string[] = []): Readonly<Record<string, string>> {
  const ancestors = embedders.length === 0 ? "'none'" : embedders.join(' ');
  return {
    'Content-Security-Policy': [...POLICY, `frame-ancestors ${ancestors}`].join('; '),
    // This header cannot list pages. All browsers that we support follow the policy above.
    ...(embedders.length === 0 && { 'X-Frame-Options': 'DENY' }),
    ...OTHER_HEADERS,
  };
}

/** Of a server that no page may embed. */
export const SECURITY_HEADERS = securityHeaders();
