/**
 * Appearance of each tissue: Hounsfield units in the portal venous phase, signal in a T2-weighted sequence and in a
 * diffusion sequence without diffusion weighting (both 0 to 1000), apparent diffusion coefficient in um2/s.
 */
const APPEARANCE = {
  air: [-1000, 3, 3, 0],
  skin: [25, 260, 90, 900],
  fat: [-100, 640, 60, 250],
  muscle: [58, 120, 240, 1350],
  marrow: [190, 330, 110, 500],
  cortex: [720, 25, 15, 300],
  cartilage: [115, 210, 120, 1100],
  disc: [88, 420, 230, 1500],
  cerebrospinalFluid: [14, 1000, 820, 2900],
  spinalCord: [38, 330, 420, 950],
  lung: [-868, 22, 8, 1200],
  airway: [-985, 3, 3, 0],
  airwayWall: [-180, 150, 60, 1200],
  lungVessel: [42, 70, 30, 1800],
  nodule: [35, 420, 380, 1050],
  blood: [168, 45, 60, 2100],
  venousBlood: [148, 60, 80, 2100],
  calcification: [910, 10, 5, 300],
  myocardium: [112, 190, 210, 1500],
  liver: [112, 205, 330, 1120],
  liverVessel: [166, 330, 120, 2000],
  lesion: [56, 520, 620, 1620],
  lesionRim: [138, 400, 700, 980],
  bile: [9, 940, 700, 2800],
  spleen: [126, 390, 720, 820],
  pancreas: [104, 300, 400, 1280],
  renalCortex: [178, 430, 560, 1900],
  renalMedulla: [132, 560, 600, 2050],
  stomachWall: [82, 230, 260, 1400],
  stomachFluid: [22, 880, 600, 2800],
  bowelWall: [86, 220, 240, 1400],
  bowelContent: [48, 520, 320, 2200],
  gland: [32, 290, 240, 1800],
} as const satisfies Record<string, readonly [number, number, number, number]>;

export type TissueName = keyof typeof APPEARANCE;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a literal
export const TISSUE_NAMES = Object.keys(APPEARANCE) as readonly TissueName[];

/** The label of each tissue in a label plane: its index in TISSUE_NAMES. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every name is a key
export const LABEL = Object.fromEntries(TISSUE_NAMES.map((name, label) => [name, label])) as Readonly<
  Record<TissueName, number>
>;

/** Indexed by label. */
export const HOUNSFIELD = appearance(0);
export const T2_SIGNAL = appearance(1);
export const DIFFUSION_SIGNAL = appearance(2);
export const DIFFUSION_COEFFICIENT = appearance(3);

function appearance(column: 0 | 1 | 2 | 3): Float32Array {
  return Float32Array.from(Object.values(APPEARANCE), (row) => row[column]);
}
