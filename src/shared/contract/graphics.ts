/**
 * The shapes of graphics. Their points are x and y in turn:
 * - `point`: one point, drawn as a mark of a fixed size. Several points are several marks.
 * - `polyline`: at least two points, joined by lines. It is closed if the last point equals the first.
 * - `polygon`: at least three points, closed without repeating the first one.
 * - `interpolated`: at least two points, joined by a smooth curve; closed if the last point equals the first.
 * - `circle`: the centre, and a point of the circumference.
 * - `ellipse`: the ends of the major axis, then the ends of the minor axis; where pixels are not square or a plane cuts an
 *   ellipsoid, the ends of two diameters that are conjugate, which describe an ellipse as well.
 * - `text`: no points. Only `text` is drawn.
 */
export const GRAPHIC_SHAPES = ['point', 'polyline', 'polygon', 'interpolated', 'circle', 'ellipse', 'text'] as const;
export type GraphicShape = (typeof GRAPHIC_SHAPES)[number];

/**
 * The units of points:
 * - `pixel`: pixels of the picture; (0, 0) is the centre of the first pixel, x is the column.
 * - `display`: parts of the displayed area, from (0, 0) at its upper left to (1, 1) at its lower right corner, after
 *   rotation and flip.
 * - `matrix`: pixels of the total pixel matrix of a tiled image, of which `pixel` are those of one tile. Only states have
 *   them; they are pixels of the picture before they are drawn.
 */
export const GRAPHIC_UNITS = ['pixel', 'display', 'matrix'] as const;
export type GraphicUnits = (typeof GRAPHIC_UNITS)[number];

/** How a shape gets into the picture: it is stored there, in a plane nearby, or it was cut by the plane. */
export const GRAPHIC_SOURCES = ['stored', 'nearest', 'cut', 'projected'] as const;
export type GraphicSource = (typeof GRAPHIC_SOURCES)[number];

/** What the object says about the look of a shape. The page decides what is left open, and may change the rest. */
export type GraphicStyle = {
  /** Red, green, blue from 0 to 255; undefined for the color of the part. */
  readonly color?: readonly [number, number, number];
  /** Pixels of the screen. */
  readonly widthPx?: number;
  readonly isDashed?: boolean;
  /** 0 to 1. */
  readonly opacity?: number;
  /** Ends of a polyline that have an arrow head. */
  readonly arrows?: 'start' | 'end' | 'both';
  /** How points are marked; a cross if undefined. */
  readonly mark?: 'cross' | 'circle' | 'square' | 'none';
};

/** A text that belongs to a shape or stands alone. It has the size of the page's texts at every zoom. */
export type GraphicText = {
  /** Lines are separated by `\n`. */
  readonly value: string;
  /** The box that holds it: left, top, right, bottom in these units. The text is drawn within, from the upper left. */
  readonly box?: {
    readonly corners: readonly [number, number, number, number];
    readonly units: GraphicUnits;
    readonly align: 'left' | 'center' | 'right';
  };
  /** The point that it describes. A line joins the text and the point if the point is marked. */
  readonly anchor?: {
    readonly point: readonly [number, number];
    readonly units: GraphicUnits;
    readonly isMarked: boolean;
  };
};

/** One primitive of a layer of graphics. */
export type GraphicItem = {
  readonly part: number;
  readonly shape: GraphicShape;
  readonly units: GraphicUnits;
  readonly points: readonly number[];
  readonly isFilled: boolean;
  readonly style: GraphicStyle;
  /** With neither box nor anchor, it is written beside the shape. */
  readonly text?: GraphicText;
  readonly how: GraphicSource;
  /** From the plane of the picture along its normal; 0 if the shape lies in it. */
  readonly distanceMm: number;
  /** A circle around each point in which the point really may be, in pixels of the picture. */
  readonly uncertaintyPx?: number;
};

/** The area that `display` units are parts of; without one, the whole picture as it is stored. */
export type GraphicArea = {
  /** Left, top, right, bottom of its outer corners in pixels of the picture. They may lie outside of it. */
  readonly corners: readonly [number, number, number, number];
  /** Clockwise, before the flip. */
  readonly rotation: 0 | 90 | 180 | 270;
  readonly isFlipped: boolean;
};

/** All graphics of one layer over one picture, whose size is given in pixels. */
export type GraphicsPacket = {
  readonly rows: number;
  readonly columns: number;
  readonly items: readonly GraphicItem[];
  readonly area?: GraphicArea;
};
