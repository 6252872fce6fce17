/** How a part of a layer is drawn. */
export type PartStyle = {
  readonly isVisible: boolean;
  /** From 0 to 1. */
  readonly opacity: number;
  readonly isOutline: boolean;
  /** The color that the user has chosen instead of the part's own. */
  readonly color?: readonly [number, number, number];
  /** Contours: those inside others are no holes. */
  readonly fillsNested?: boolean;
};

/** Until the user changes it, unless the client of a layer has another one. */
export const FIRST_STYLE: PartStyle = { isVisible: true, opacity: 0.5, isOutline: false };

/** The appearance of the parts of one layer. */
export type LayerLook = {
  readonly colorOf: (part: number) => readonly [number, number, number];
  readonly styleOf: (part: number) => PartStyle;
  /** What its client says beyond that, if anything. */
  readonly ofClient?: unknown;
};
