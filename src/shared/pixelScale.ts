import { SPACING_SOURCES } from './contract/fileTerms.ts';

type Point = { readonly x: number; readonly y: number };

/** Where the size of the pixels comes from. */
export const SCALE_SOURCES = [...SPACING_SOURCES, 'imaged_volume', 'ultrasound_region'] as const;
export type ScaleSource = (typeof SCALE_SOURCES)[number];

export type ScaleTerms = {
  /** In a sentence, and in the CSV of the page. */
  readonly title: string;
  /** The attribute, and where it applies. */
  readonly declaredBy: string;
  /** Written after a size; empty if the size is that in the patient, or of the slide. */
  readonly note: string;
  /** Why a size is not that in the patient. */
  readonly caveat: string;
};

/** The page, the exports and the table of docs/measuring.md say this of sizes. */
export const SCALE_TERMS: Readonly<Record<ScaleSource | 'none', ScaleTerms>> = {
  pixel_spacing: {
    title: 'Pixel Spacing',
    declaredBy: 'Pixel Spacing (0028,0030), of the frame itself where frames differ',
    note: '',
    caveat: '',
  },
  imager: {
    title: 'Imager Pixel Spacing, at the detector',
    declaredBy:
      'Imager Pixel Spacing (0018,1164); also a Pixel Spacing that equals it in a projection, unless there is a Pixel Spacing Calibration Type or a magnification of 1',
    note: 'at detector',
    caveat: 'objects nearer to the source appear larger',
  },
  nominal: {
    title: 'Nominal Scanned Pixel Spacing',
    declaredBy: 'Nominal Scanned Pixel Spacing (0018,2010)',
    note: 'nominal',
    caveat: 'the size on the film that was scanned',
  },
  image_plane: {
    title: 'Image Plane Pixel Spacing of an RT Image',
    declaredBy: 'Image Plane Pixel Spacing (3002,0011) of an RT Image',
    note: 'at image plane',
    caveat: 'the isocenter is nearer to the source, and appears larger',
  },
  magnification: {
    title: 'Imager Pixel Spacing divided by the estimated magnification',
    declaredBy:
      'Imager Pixel Spacing (0018,1164) divided by Estimated Radiographic Magnification Factor (0018,1114), where that is above 1 and no Pixel Spacing says more',
    note: 'estimated',
    caveat: 'the size in the plane for which the magnification was estimated',
  },
  imaged_volume: {
    title: 'Imaged Volume Width divided by the columns of the slide',
    declaredBy: 'Imaged Volume Width (0048,0001) divided by the columns of a slide without Pixel Spacing',
    note: '',
    caveat: '',
  },
  ultrasound_region: {
    title: 'Ultrasound region',
    declaredBy:
      'Sequence of Ultrasound Regions (0018,6011), where all points are in one region; one of high priority comes before others',
    note: '',
    caveat: '',
  },
  none: { title: 'No pixel size declared here', declaredBy: 'None of these', note: '', caveat: '' },
};

/** Between rows, then between columns, as in DICOM. */
export type Spacing = readonly [rows: number, columns: number];

/** The size of the pixels of a frame, as far as its file declares it. */
export type FrameScale = {
  readonly spacingMm: Spacing | undefined;
  readonly source: Exclude<ScaleSource, 'ultrasound_region'> | undefined;
  /** Height of a pixel divided by its width, which is sufficient for angles. */
  readonly aspect: number;
  /** Parts of an ultrasound image, each with its own scale. */
  readonly regions: readonly ScaledRegion[];
};

export type ScaledRegion = {
  /** Opposite corners, in image pixels. */
  readonly from: Point;
  readonly to: Point;
  /** What its axes are, such as time in M-mode; undefined where that is not declared, or is nothing to measure. */
  readonly x: RegionAxis | undefined;
  readonly y: RegionAxis | undefined;
  /** Where it lies over another region, the pixels are those of the other one. */
  readonly isLow: boolean;
};

export type RegionAxis = { readonly unit: 'mm' | 's' | 'Hz' | 'cm/s'; readonly perPixel: number };

/** The scale that applies to one measurement. */
export type Scale = {
  readonly spacing: Spacing;
  readonly unit: 'mm' | 'px';
  readonly source: ScaleSource | undefined;
  readonly aspect: number;
  /** In a region whose axes are not both lengths. */
  readonly axes?: Pick<ScaledRegion, 'x' | 'y'>;
};

/** Regions come first: an ultrasound image with regions has no scale outside them. */
export function chooseScale({ spacingMm, source, aspect, regions }: FrameScale, points: readonly Point[]): Scale {
  const unknown: Scale = { spacing: [1, 1], unit: 'px', source: undefined, aspect };
  if (regions.length > 0) {
    const { x, y } = findRegion(regions, points) ?? {};
    if (x === undefined && y === undefined) return unknown;
    if (x?.unit !== 'mm' || y?.unit !== 'mm') return { ...unknown, source: 'ultrasound_region', axes: { x, y } };
    const spacing = [y.perPixel, x.perPixel] as const;
    return { spacing, unit: 'mm', source: 'ultrasound_region', aspect: spacing[0] / spacing[1] };
  }
  if (spacingMm === undefined) return unknown;
  return { spacing: spacingMm, unit: 'mm', source, aspect: spacingMm[0] / spacingMm[1] };
}

/** Of several regions with all points, one of high priority, and of these one that says what its axes are. */
function findRegion(regions: readonly ScaledRegion[], points: readonly Point[]): ScaledRegion | undefined {
  const all = regions.filter((region) => points.every((point) => isInside(point, region)));
  const [first] = all.toSorted((a, b) => rankOf(a) - rankOf(b));
  return first;
}

function rankOf({ x, y, isLow }: ScaledRegion): number {
  return (isLow ? 2 : 0) + (x === undefined && y === undefined ? 1 : 0);
}

export function lengthBetween(a: Point, b: Point, [rows, columns]: Spacing): number {
  return Math.hypot((b.x - a.x) * columns, (b.y - a.y) * rows);
}

/** In degrees, from 0 to 180, between the arms from `vertex` to `a` and to `b`. */
export function angleBetween(a: Point, vertex: Point, b: Point, aspect: number): number {
  const [ux, uy] = [a.x - vertex.x, (a.y - vertex.y) * aspect];
  const [vx, vy] = [b.x - vertex.x, (b.y - vertex.y) * aspect];
  // Not the arc cosine, which loses half of the digits for small angles.
  return (Math.atan2(Math.abs(ux * vy - uy * vx), ux * vx + uy * vy) * 180) / Math.PI;
}

/** In degrees, from 0 to 90, between two lines, whatever the directions in which they were drawn. */
export function angleOfLines([a, b]: readonly [Point, Point], [c, d]: readonly [Point, Point], aspect: number): number {
  const [ux, uy] = [b.x - a.x, (b.y - a.y) * aspect];
  const [vx, vy] = [d.x - c.x, (d.y - c.y) * aspect];
  return (Math.atan2(Math.abs(ux * vy - uy * vx), Math.abs(ux * vx + uy * vy)) * 180) / Math.PI;
}

export function areaBetween(a: Point, b: Point, [rows, columns]: Spacing): number {
  return Math.abs((b.x - a.x) * columns * (b.y - a.y) * rows);
}

function isInside({ x, y }: Point, { from, to }: ScaledRegion): boolean {
  return x >= from.x && x <= to.x && y >= from.y && y <= to.y;
}
