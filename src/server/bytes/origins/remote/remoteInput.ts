/** An input on another machine, as the user typed it. */
export type RemoteInput =
  | { readonly kind: 's3' | 'gs'; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'az'; readonly account: string; readonly container: string; readonly prefix: string }
  | { readonly kind: 'web'; readonly url: URL }
  /** `uids`: of the study, the series and the instance that are opened, as far as they are named. */
  | { readonly kind: 'dicomweb'; readonly url: URL; readonly uids: readonly string[] };

const SCHEMES = /^(?:s3|gs|az|(?:dicomweb\+)?https?):\/\//i;
/** The root of the service, and the UIDs of what is opened. */
const DICOMWEB_PATH = /^(.*?)(?:\/studies(?:\/([^/]+)(?:\/series\/([^/]+)(?:\/instances\/([^/]+))?)?)?)?\/*$/;

/** Whether an input is an address rather than a path. A path that looks like one is written as `./s3:/…`. */
export function isRemoteInput(input: string): boolean {
  return SCHEMES.test(input);
}

/** Throws an error whose message shows neither credentials nor the query. */
export function parseRemoteInput(input: string): RemoteInput {
  const [, scheme = '', rest = ''] = /^([a-z0-9+]+):\/\/(.*)$/is.exec(input) ?? [];
  switch (scheme.toLowerCase()) {
    case 's3':
    case 'gs': {
      const [bucket, prefix] = splitFirst(rest);
      // Names of hosts: nothing else may become a part of the address that is asked.
      if (!/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/i.test(bucket)) {
        throw new Error(`${scheme}://: the name of the bucket is not valid; write ${scheme}://BUCKET/PREFIX`);
      }
      return { kind: scheme.toLowerCase() === 's3' ? 's3' : 'gs', bucket, prefix: withoutStar(prefix) };
    }
    case 'az': {
      const [account, path] = splitFirst(rest);
      const [container, prefix] = splitFirst(path);
      if (!/^[a-z0-9]{3,24}$/.test(account) || !/^\$?[a-z0-9-]{3,63}$/.test(container)) {
        throw new Error('az://: write az://ACCOUNT/CONTAINER/PREFIX');
      }
      return { kind: 'az', account, container, prefix: withoutStar(prefix) };
    }
    case 'dicomweb+http':
    case 'dicomweb+https': {
      const address = input.slice('dicomweb+'.length);
      if (!URL.canParse(address)) throw new Error(`${scheme}://: the address is not valid`);
      const url = new URL(address);
      url.hash = '';
      const [, root = '', study, series, instance] = DICOMWEB_PATH.exec(url.pathname) ?? [];
      url.pathname = root;
      const uids = [study, series, instance].flatMap((uid) => uid ?? []);
      if (uids.every(isUidInAddress)) return { kind: 'dicomweb', url, uids };
      throw new Error(`${scheme}://: a UID is not valid; write ${scheme}://HOST/PATH/studies/UID/series/UID`);
    }
    default: {
      if (!URL.canParse(input)) throw new Error(`${scheme}://: the address is not valid`);
      const url = new URL(input);
      url.hash = '';
      return { kind: 'web', url };
    }
  }
}

/** The input for people and logs: without user, password and query. */
export function labelOfInput(input: RemoteInput): string {
  switch (input.kind) {
    case 's3':
    case 'gs':
      return `${input.kind}://${input.bucket}/${input.prefix}`;
    case 'az':
      return `az://${input.account}/${input.container}/${input.prefix}`;
    case 'web':
      return `${input.url.protocol}//${input.url.host}${input.url.pathname}`;
    case 'dicomweb':
      return labelOfDicomweb(input.url, input.uids);
  }
}

/** What of an input can be opened without listing it: by label, the input itself and all that begins with `folder`. */
export function reachOfInput(input: RemoteInput): { readonly label: string; readonly folder: string | undefined } {
  const label = labelOfInput(input);
  const folder = label.endsWith('/') ? label : `${label}/`;
  // Another address of a web server may turn out to be a file or a list of files.
  const isFolder = input.kind !== 'web' || (folder === label && input.url.search === '');
  return { label, folder: isFolder ? folder : undefined };
}

/** A UID, also one that breaks the rules for UIDs but cannot change the address that it is a part of. */
export function isUidInAddress(text: string): boolean {
  return /^(?!\.+$)[\w.-]{1,128}$/.test(text);
}

/** A study, a series or an instance of a DICOMweb server. */
export function labelOfDicomweb({ protocol, host, pathname }: URL, uids: readonly string[]): string {
  const path = uids.map((uid, at) => `/${['studies', 'series', 'instances'][at]}/${uid}`).join('');
  return `dicomweb+${protocol}//${host}${pathname.replace(/\/+$/, '')}${path}`;
}

function splitFirst(text: string): [string, string] {
  const at = text.indexOf('/');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Indexes of public collections print a star after the folder. */
function withoutStar(prefix: string): string {
  return prefix === '*' || prefix.endsWith('/*') ? prefix.slice(0, -1) : prefix;
}
