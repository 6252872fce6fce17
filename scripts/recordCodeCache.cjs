// Loaded into every thread of the built command by writeCodeCache: writes the code that is compiled so far before each
// message that the thread sends.
const { renameSync, statSync, writeFileSync } = require('node:fs');
const vm = require('node:vm');
const { isMainThread, parentPort, threadId } = require('node:worker_threads');

if (!isMainThread && parentPort) {
  /** @type {{ path: string, script: vm.Script } | undefined} */
  let code;
  vm.Script = class extends vm.Script {
    /** @param {string} source @param {vm.ScriptOptions} options */
    constructor(source, options) {
      super(source, options);
      code = { path: String(options.filename).replace(/cjs$/, 'cache'), script: this };
    }
  };
  const post = parentPort.postMessage.bind(parentPort);
  parentPort.postMessage = (/** @type {Parameters<typeof post>} */ ...message) => {
    if (code) {
      const data = code.script.createCachedData();
      // Another thread of this kind may have called more functions.
      if (data.length > (statSync(code.path, { throwIfNoEntry: false })?.size ?? 0)) {
        const draft = `${code.path}.${threadId}.tmp`;
        writeFileSync(draft, data);
        renameSync(draft, code.path);
      }
    }
    post(...message);
  };
}
