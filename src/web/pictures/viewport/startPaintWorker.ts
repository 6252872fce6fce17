// oxlint-disable-next-line import/default -- the bundler creates it: the URL of the built worker
import paintWorkerUrl from './paint.worker.ts?worker&url';

type ScriptPolicy = { createScriptURL(url: string): string };

/** The browser's check of URLs that become scripts; TypeScript does not have its types yet. */
type TrustedTypes = {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
};

/** A browser creates a policy of one name only once, but a failed worker is started again. */
let policy: ScriptPolicy | undefined;

/** The content security policy allows only this policy to create script URLs, and it creates only this one. */
export function startPaintWorker(): Worker {
  policy ??= findTrustedTypes()?.createPolicy('negato', {
    createScriptURL(url) {
      if (url !== paintWorkerUrl) throw new TypeError(`${url} is no script of this page`);
      return url;
    },
  });
  return new Worker(policy?.createScriptURL(paintWorkerUrl) ?? paintWorkerUrl, { type: 'module' });
}

function findTrustedTypes(): TrustedTypes | undefined {
  if (!('trustedTypes' in window)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a browser interface that the library lacks
  return window.trustedTypes as TrustedTypes;
}
