/** What a rule decides by: a stack of images, one image of a projection such as a mammogram, or an object without images. */
export type HungSeries = {
  /** By which the caller finds it again. */
  readonly id: string;
  readonly values: HangingValues;
  /** Empty if it declares none. */
  readonly frameOfReferenceUid: string;
  /** The direction in which the rows of a projection run, such as `A`; empty if it declares none. */
  readonly rowsTo: string;
};

/** The columns that conditions can name. Those of the header have its keywords, the others are found by negato. */
export const HANGING_COLUMNS = [
  'Modality',
  'SeriesDescription',
  'StudyDescription',
  'SeriesNumber',
  'Rows',
  'Columns',
  'ImageLaterality',
  'ViewPosition',
  'ObjectKind',
  'Images',
  'Times',
  'Plane',
  'Weighting',
] as const;
export type HangingColumn = (typeof HANGING_COLUMNS)[number];
/** A value that is not known is null, so conditions on it are not met. */
export type HangingValues = Readonly<Record<HangingColumn, string | number | null>>;

export const HUNG_VIEWS = ['images', 'axial', 'coronal', 'sagittal', 'mip'] as const;
export type HungView = (typeof HUNG_VIEWS)[number];

export const HUNG_LINKS = ['scroll', 'window', 'zoom', 'layers'] as const;
export type HungLink = (typeof HUNG_LINKS)[number];

export type HungWindow = 'file' | 'full' | { readonly center: number; readonly width: number };

/** One cell of a rule. */
export type HangingCell = {
  /** What the cell is called in messages. */
  readonly role: string;
  /** A condition like those of `--where`. Of several series that meet it, the first is shown. */
  readonly series: string;
  /** Series that meet this condition too come before the others. */
  readonly prefer?: string;
  /** Series with more images come before the others. */
  readonly largest?: boolean;
  /** Stored images, planes of the volume, or a rotating MIP. */
  readonly view: HungView;
  readonly window: HungWindow;
  /** Conditions on what lies over it. A layer that the study does not have is left out. */
  readonly layers: readonly string[];
  /** The rule fits without it. */
  readonly optional: boolean;
  /** The side of the cell on which the back of the patient is: the chest wall of a mammogram. */
  readonly posterior?: 'left' | 'right';
};

/** The cells of a rule are repeated, one row for each value of a column that the study has. */
export type HangingRows = { readonly by: HangingColumn; readonly of: readonly string[] };

export type HangingRule = {
  readonly name: string;
  /** The study has a series for each of these conditions. */
  readonly when: readonly string[];
  /** The study has no series for any of these conditions. */
  readonly unless: readonly string[];
  readonly layout: { readonly rows: number; readonly columns: number };
  readonly rows?: HangingRows;
  /** Row by row. */
  readonly cells: readonly HangingCell[];
  readonly links: readonly HungLink[];
};
