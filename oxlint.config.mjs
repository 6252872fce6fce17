// Wings in the order of their dependencies, and in each its rooms: a room may import from rooms to its left in its own wing,
// and from wings before its own. Server and web share code only through shared.
const SERVER = {
  machine: ['system', 'workers', 'memory'],
  bytes: ['masking', 'origins'],
  standard: ['dicom', 'geometry', 'contentTree'],
  images: [
    'pixels',
    'catalog',
    'series',
    'volumes',
    'references',
    'wsi',
    'semantics',
    'attachments',
    'exports',
    'tables',
    'audits',
    'copies',
  ],
  over: ['presentation', 'layers', 'sheets', 'agreement'],
  say: ['documents'],
  work: ['journal', 'marks', 'annotations', 'redactions', 'review', 'assistants', 'scores'],
  doors: ['pages', 'dicomweb', 'http'],
};
const WEB = {
  kit: ['ui', 'api', 'loading', 'state'],
  show: ['pictures', 'values', 'tools', 'cine', 'series', 'readouts'],
  over: ['layers', 'compare', 'dvh', 'presentation'],
  draw: ['marks'],
  read: ['context', 'references', 'documents', 'tags'],
  find: ['studies', 'files', 'review', 'cohort', 'audits', 'gallery'],
  shell: [],
};

const OUTSIDE_WEB = ['**/server/**', '**/cli/**', '**/demo/**', '**/scripts/**'];
const OUTSIDE_SERVER = ['**/cli/**', '**/demo/**', '**/web/**'];

/** @param {Record<string, string[]>} wings @param {string} root @param {string[]} outside */
function importOrder(wings, root, outside) {
  // A wing without rooms is a room itself.
  const rooms = Object.entries(wings).flatMap(([wing, names]) =>
    (names.length === 0 ? [''] : names).map((room) => ({ wing, room, path: room === '' ? wing : `${wing}/${room}` })),
  );
  return rooms.flatMap(({ wing, room, path }, position) => {
    const right = rooms.slice(position + 1);
    const group = [
      ...right.map((other) => `**/${other.path}/**`),
      ...right
        .filter((other) => other.wing === wing)
        .flatMap((other) => ['../', '../../', '../../../'].map((up) => `${up}${other.room}/**`)),
      ...outside,
    ];
    const here = `${root}/${path}/`;
    return [
      forbidImports(`${here}**`, group, root === 'src/server' && READERS_OF_FILES.includes(room)),
      ...LOADERS_OF_CODE.filter((file) => file.startsWith(here)).map((file) => forbidImports(file, group)),
    ];
  });
}

/** Imports that would hold memory unknown to the memory account of the server (src/server/machine/memory). */
const UNCOUNTED = [
  ['**/shared/byteCache.ts', 'createByteCache'],
  ['**/memory/admission.ts', 'createAdmission'],
  ['**/workers/workerPool.ts', 'createWorkerPool'],
].map(([file, name]) => ({
  group: [file],
  importNames: [name],
  message: 'The memory account makes it, so that it is counted; see ARCHITECTURE.md.',
}));

/** Modules that only src/server/bytes/origins may import, so that a new kind of origin changes no other folder. */
const INSIDE_ORIGINS = {
  group: [
    '**/origins/*',
    '!**/origins/{origins,byteSource,sourceColumns,inputExists}.ts',
    '!**/origins/remote/',
    '**/origins/remote/*',
    '!**/origins/remote/{remoteAccess,remoteInput}.ts',
  ],
  message: 'Files are listed, opened and compared by src/server/bytes/origins/origins.ts; see ARCHITECTURE.md.',
};
/** Only src/server/bytes/origins opens input files. These folders read input files and no others. */
const READERS_OF_FILES = [
  'dicom',
  'geometry',
  'pixels',
  'catalog',
  'series',
  'volumes',
  'references',
  'wsi',
  'semantics',
  'contentTree',
  'presentation',
  'attachments',
  'layers',
  'agreement',
  'documents',
  'exports',
  'tables',
  'audits',
  'dicomweb',
];
const FILE_SYSTEM = { group: ['node:fs', 'node:fs/promises', 'fs', 'fs/promises'], message: INSIDE_ORIGINS.message };
/** These files load WebAssembly code that is part of the package. */
const LOADERS_OF_CODE = ['src/server/images/pixels/codecs/ijg.ts', 'src/server/images/pixels/codecs/loadLibrary.ts'];

/** @param {string} files @param {string[]} group */
function forbidImports(files, group, readsFiles = false) {
  const message = 'A room imports only from rooms and wings to its left; see ARCHITECTURE.md.';
  const isCounted = files.startsWith('src/server/') && files !== 'src/server/machine/memory/**';
  const isOutside = files !== 'src/server/bytes/origins/**';
  const patterns = [
    { group, message },
    ...(isCounted ? UNCOUNTED : []),
    ...(isOutside ? [INSIDE_ORIGINS] : []),
    ...(readsFiles ? [FILE_SYSTEM] : []),
  ];
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

/** Longer functions are rooms that nobody can test alone. */
const LONGEST_FUNCTION = ['error', { max: 200, skipBlankLines: true, skipComments: true }];

export default {
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'react', 'jsx-a11y', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'no-restricted-imports': 'off',
    'no-var': 'error',
    'prefer-const': 'error',
    eqeqeq: 'error',
    'no-console': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/consistent-type-imports': 'error',
    'unicorn/no-array-for-each': 'error',
    'react/no-danger': 'error',
    // postMessage to a worker has no target origin.
    'unicorn/require-post-message-target-origin': 'off',
    'react/react-in-jsx-scope': 'off',
    // The compiler sees that a switch over every case returns; this rule does not.
    'typescript/consistent-return': 'off',
    'import/no-unassigned-import': 'off',
  },
  overrides: [
    ...importOrder(SERVER, 'src/server', OUTSIDE_SERVER),
    ...importOrder(WEB, 'src/web', OUTSIDE_WEB),
    forbidImports('src/shared/**', ['**/server/**', '**/web/**', '**/cli/**', '**/demo/**', 'node:*']),
    forbidImports('src/server/*.ts', OUTSIDE_SERVER),
    forbidImports('src/web/*.{ts,tsx}', OUTSIDE_WEB),
    forbidImports('src/demo/**', ['**/cli/**', '**/web/**']),
    forbidImports('src/cli/**', ['**/web/**']),
    forbidImports('src/server/doors/http/routes/**', OUTSIDE_SERVER, true),
    { files: ['src/**'], rules: { 'max-lines-per-function': LONGEST_FUNCTION } },
    { files: ['**/*.test.ts', '**/*.test.tsx'], rules: { 'max-lines-per-function': 'off' } },
    // Runs in a worker thread, which has no memory account: the thread assigns its share.
    { files: ['src/server/images/pixels/imageFiles.ts'], rules: { 'no-restricted-imports': 'off' } },
    { files: ['src/cli/**', 'scripts/**', 'bench/**', 'test/**', 'python/**'], rules: { 'no-console': 'off' } },
    { files: ['*.config.{ts,mjs}'], rules: { 'import/no-default-export': 'off' } },
    // Tests may import across folders, because they exercise the whole system.
    { files: ['**/*.test.ts', '**/*.test.tsx'], rules: { 'no-restricted-imports': 'off' } },
  ],
  ignorePatterns: ['dist', 'node_modules', '**/*.generated.ts', '**/*.kernel.ts'],
};
