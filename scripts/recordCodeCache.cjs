// Loaded into every thread of the built command by writeCodeCache: writes the code that is compiled so far before each
// message that the thread sends, under the name and in the form that the loader of the thread reads.
const { renameSync, statSync, writeFileSync } = require('node:fs');
const vm = require('node:vm');
const { isMainThread, parentPort, threadId } = require('node:worker_threads');
const { crc32 } = require('node:zlib');

if (!isMainThread && parentPort) {
  const platform = [process.version, process.platform, process.arch].join('-');
  /** @type {{ path: string, script: vm.Script } | undefined} */
  let code;
  vm.Script = class extends vm.Script {
    /** @param {string} source @param {vm.ScriptOptions} options */
    constructor(source, options) {
      super(source, options);
      code = { path: String(options.filename).replace(/\.cjs$/, `-${platform}.cache`), script: this };
    }
  };
  const post = parentPort.postMessage.bind(parentPort);
  parentPort.postMessage = (/** @type {Parameters<typeof post>} */ ...message) => {
    try {
      if (code) write(code);
    } catch {
      // Another build writes there. The answer is sent whatever becomes of the cache.
    }
    post(...message);
  };
}

/** @param {{ path: string, script: vm.Script }} code */
function write({ path, script }) {
  const data = script.createCachedData();
  // Another thread of this kind may have called more functions.
  if (data.length + 4 <= (statSync(path, { throwIfNoEntry: false })?.size ?? 0)) return;
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(data));
  const draft = `${path}.${process.pid}-${threadId}.tmp`;
  writeFileSync(draft, Buffer.concat([data, checksum]));
  renameSync(draft, path);
}
