// Folders in the order in which they may depend on each other: each imports from its left, never from its right.
// Server and web meet only in shared.
const SERVER = [
  'system',
  'workers',
  'memory',
  'dicom',
  'geometry',
  'pixels',
  'catalog',
  'series',
  'references',
  'wsi',
  'semantics',
  'annotations',
  'http',
];
const WEB = [
  'ui',
  'api',
  'state',
  'viewport',
  'values',
  'tools',
  'cine',
  'series',
  'slide',
  'segmentation',
  'overlays',
  'annotations',
  'measure',
  'context',
  'references',
  'tags',
  'files',
  'shell',
];

const OUTSIDE_SERVER = ['**/cli/**', '**/demo/**', '**/web/**'];

/** @param {string[]} folders @param {string} root @param {string[]} outside */
function importOrder(folders, root, outside) {
  return folders.map((folder, position) =>
    forbidImports(`${root}/${folder}/**`, [
      ...folders.slice(position + 1).map((right) => `../${right}/**`),
      ...folders.slice(position + 1).map((right) => `../../${right}/**`),
      ...outside,
    ]),
  );
}

/** What would hold memory that the account of the server (src/server/memory) does not know. */
const UNCOUNTED = [
  ['**/shared/byteCache.ts', 'createByteCache'],
  ['**/memory/admission.ts', 'createAdmission'],
  ['**/workers/workerPool.ts', 'createWorkerPool'],
].map(([file, name]) => ({
  group: [file],
  importNames: [name],
  message: 'The memory account makes it, so that it is counted; see ARCHITECTURE.md.',
}));

/** @param {string} files @param {string[]} group */
function forbidImports(files, group) {
  const message = 'A folder imports only from folders to its left; see ARCHITECTURE.md.';
  const isCounted = files.startsWith('src/server/') && files !== 'src/server/memory/**';
  const patterns = [{ group, message }, ...(isCounted ? UNCOUNTED : [])];
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

export default {
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'react', 'jsx-a11y', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    'import/no-cycle': 'error',
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
    // A worker's message has no target origin.
    'unicorn/require-post-message-target-origin': 'off',
    'react/react-in-jsx-scope': 'off',
    // The compiler sees that a switch over every case returns; this rule does not.
    'typescript/consistent-return': 'off',
    'import/no-unassigned-import': 'off',
  },
  overrides: [
    ...importOrder(SERVER, 'src/server', OUTSIDE_SERVER),
    ...importOrder(WEB, 'src/web', ['**/server/**', '**/cli/**', '**/demo/**']),
    forbidImports('src/shared/**', ['**/server/**', '**/web/**', '**/cli/**', '**/demo/**', 'node:*']),
    forbidImports('src/web/*.{ts,tsx}', ['**/server/**', '**/cli/**', '**/demo/**']),
    forbidImports('src/demo/**', ['**/cli/**', '**/web/**']),
    // Runs in a worker thread, where the account is not: the thread gives it its share.
    { files: ['src/server/pixels/imageFiles.ts'], rules: { 'no-restricted-imports': 'off' } },
    { files: ['src/cli/**', 'scripts/**', 'bench/**', 'test/**'], rules: { 'no-console': 'off' } },
    { files: ['*.config.{ts,mjs}'], rules: { 'import/no-default-export': 'off' } },
    // Tests may reach across folders: they exercise the whole house.
    { files: ['**/*.test.ts', '**/*.test.tsx'], rules: { 'no-restricted-imports': 'off' } },
  ],
  ignorePatterns: ['dist', 'node_modules', '**/*.generated.ts', '**/*.kernel.ts'],
};
