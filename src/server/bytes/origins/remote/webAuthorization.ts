import type { HttpAnswer } from './httpClient.ts';

/** The token for a server; `renewed`: the last one was refused. */
export type FindToken = (options: { readonly renewed: boolean }) => Promise<string | undefined>;

/** How requests to a web server say who asks. */
export interface WebAuthorization {
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Whether there is a new token after this answer. */
  renew(answer: Pick<HttpAnswer, 'status'>): Promise<boolean>;
}

/** A token, or else the user and the password of the address as Basic authentication. */
export function createWebAuthorization(
  { username, password }: Pick<URL, 'username' | 'password'>,
  findToken: FindToken,
): WebAuthorization {
  let token: Promise<string | undefined> | undefined;
  return {
    async headers() {
      const found = await (token ??= findToken({ renewed: false }));
      if (found !== undefined) return { Authorization: `Bearer ${found}` };
      if (username === '' && password === '') return {};
      const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      return { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    },
    async renew({ status }) {
      if (status !== 401 || (await token) === undefined) return false;
      token = findToken({ renewed: true });
      return (await token) !== undefined;
    },
  };
}
