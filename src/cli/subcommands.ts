/** Commands that do something else than open the viewer, as the help shows them: what they take, and what they do. */
export const SUBCOMMANDS = {
  index: ['PATH... --out FILE', 'write a table of files, for --index and other programs'],
  export: ['FORMAT PATH... --out DIR', 'write volumes of images, or labels of what lies over them'],
  sheet: ['PATH... --out FILE.html|DIR', 'write key slices of every series, to look through'],
  audit: ['PATH... [--out FILE.html]', 'find gaps, copies, deviations and what identifies people'],
  deidentify: ['PATH... --out DIR', 'write copies whose identifiers are removed or replaced'],
  compare: ['TRUTH TEST [IMAGES] --out FILE', 'compare segmentations with the truth, part by part'],
  agree: ['A.jsonl B.jsonl', 'compare what two readers have decided'],
} as const;

export type Subcommand = keyof typeof SUBCOMMANDS;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const SUBCOMMAND_NAMES = Object.keys(SUBCOMMANDS) as Subcommand[];
