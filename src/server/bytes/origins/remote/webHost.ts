/** A machine as it is asked: a redirect elsewhere is not followed. */
export type WebHost = { readonly protocol: 'http:' | 'https:'; readonly hostname: string; readonly port: string };

export function hostOf({ protocol, hostname, port }: URL): WebHost {
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error('only http and https are supported');
  // Without the brackets of an IPv6 address, which belong to the URL.
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port };
}

/** The value of the Host header. */
export function hostHeader({ protocol, hostname, port }: WebHost): string {
  const name = hostname.includes(':') ? `[${hostname}]` : hostname;
  const isDefault = port === '' || port === (protocol === 'https:' ? '443' : '80');
  return isDefault ? name : `${name}:${port}`;
}
