// The main script of the single executable: unpacks the viewer once into a private folder, and runs it from there, because
// threads and WebAssembly are files.
const { createHash, randomBytes } = require('node:crypto');
const {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { homedir } = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { getAsset } = require('node:sea');

/** Name and SHA-256 of every file. @type {Record<string, string>} */
const files = JSON.parse(getAsset('files.json', 'utf8'));
const build = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);

const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'negato');
const folder = findUnpacked() ?? unpack();
// The executable is also what Node.js would be: for the process that writes the demo study.
const [, , first = ''] = process.argv;
const isOwnProcess = first.startsWith(folder + path.sep) && first.endsWith('.process.js');
if (isOwnProcess) process.argv.splice(2, 1);
void import(pathToFileURL(isOwnProcess ? first : path.join(folder, 'negato.js')).href);

/** The folder of this build, if it is ours and nothing in it was changed. */
function findUnpacked() {
  const known = path.join(cache, build);
  return existsSync(known) && isIntact(known) ? known : undefined;
}

function isIntact(known) {
  try {
    const { uid, mode } = lstatSync(known);
    // Others could replace files between the check and the start.
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) return false;
    return Object.entries(files).every(([name, sum]) => sumOf(readFileSync(path.join(known, name))) === sum);
  } catch {
    return false;
  }
}

function unpack() {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const fresh = path.join(cache, `${build}-${randomBytes(6).toString('hex')}`);
  for (const name of Object.keys(files)) {
    mkdirSync(path.dirname(path.join(fresh, name)), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(fresh, name), new Uint8Array(getAsset(name)), { flag: 'wx', mode: 0o600 });
  }
  chmodSync(fresh, 0o700);
  const known = path.join(cache, build);
  // Another start may have been faster, which is as good. What is damaged is replaced.
  if (existsSync(known) && !isIntact(known)) rmSync(known, { recursive: true, force: true });
  try {
    renameSync(fresh, known);
    return known;
  } catch {
    if (!isIntact(known)) return fresh;
    rmSync(fresh, { recursive: true, force: true });
    return known;
  }
}

function sumOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
