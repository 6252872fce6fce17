type ScriptPolicy = { createScriptURL(url: string): string };

/** The browser's check of URLs that become scripts; TypeScript does not have its types yet. */
type TrustedTypes = {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
};

/** A browser creates a policy of one name only once, but there are several workers, and a failed one is started again. */
let policy: ScriptPolicy | undefined;

/** The content security policy allows only this policy to create script URLs, and it creates only those of the build. */
export function startWorker(url: string): Worker {
  policy ??= findTrustedTypes()?.createPolicy('negato', {
    createScriptURL(wanted) {
      if (!isBuilt(wanted)) throw new TypeError(`${wanted} is no script of this page`);
      return wanted;
    },
  });
  return new Worker(policy?.createScriptURL(url) ?? url, { type: 'module' });
}

/** Whether it is a script in the folder of the page's own scripts: nothing of a file is ever served from there. */
function isBuilt(url: string): boolean {
  const { origin, pathname } = new URL(url, document.baseURI);
  const page = new URL('.', document.baseURI);
  const name = pathname.startsWith(page.pathname) ? pathname.slice(page.pathname.length) : '';
  return origin === page.origin && /^assets\/[\w.-]+\.js$/.test(name);
}

function findTrustedTypes(): TrustedTypes | undefined {
  if (!('trustedTypes' in window)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a browser interface that the library lacks
  return window.trustedTypes as TrustedTypes;
}
