import type {
  GraphicItem,
  GraphicShape,
  GraphicStyle,
  GraphicText,
  GraphicUnits,
} from '../../../shared/contract/graphics.ts';
import { toWireGraphic } from '../../../shared/wireGraphics.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { readCielab } from '../../images/pixels/presentation/readStateLook.ts';
import type { PresentationWarning } from './presentationTasks.ts';

/** For all graphics of one object together. A graphic is drawn as a whole or not at all. */
export const MOST_GRAPHICS = { items: 10_000, points: 250_000, characters: 1_000_000 };
/** Further away from the image than any graphic is. */
const FARTHEST = 1e7;
/** In PIXEL and MATRIX units, (0, 0) is the outer corner of the first pixel. */
const CORNER = 0.5;

/** Reads the graphics and texts of a presentation state, up to a number for the whole object. PS3.3 C.10.5. */
export interface GraphicReader {
  /** The JSON of each graphic of an item of the Graphic Annotation Sequence. */
  read(annotation: DataSet): string[];
  readonly leftOut: number;
  readonly warnings: readonly PresentationWarning[];
}

/** `layers` are the names of the graphic layers; the part of a graphic is the index of its layer. */
export function createGraphicReader(layers: readonly string[]): GraphicReader {
  let [items, points, characters] = [MOST_GRAPHICS.items, MOST_GRAPHICS.points, MOST_GRAPHICS.characters];
  let [beyond, invalid] = [0, 0];

  /** Undefined if it has too many points or none, or if one is not a number. */
  const readPoints = (item: DataSet, units: GraphicUnits): number[] | undefined => {
    const count = item.count(Tag.GraphicData);
    if (count > 2 * points) {
      beyond += 1;
      return undefined;
    }
    const numbers = item.numbers(Tag.GraphicData, count);
    if (numbers.length === 0 || numbers.length % 2 === 1 || !numbers.every(isNear)) {
      invalid += 1;
      return undefined;
    }
    points -= numbers.length / 2;
    return toIndices(numbers, units);
  };

  const readGraphic = (item: DataSet, part: number): GraphicItem | undefined => {
    const units = unitsOf(item, Tag.GraphicAnnotationUnits);
    const shape = SHAPES.get(item.string(Tag.GraphicType) ?? '');
    if (shape === undefined) {
      invalid += 1;
      return undefined;
    }
    const read = readPoints(item, units);
    if (read === undefined) return undefined;
    if (read.length < 2 * FEWEST_POINTS[shape]) {
      invalid += 1;
      return undefined;
    }
    return toItem({ part, shape, units, points: read, item });
  };

  /** The simple graphics that every compound one has besides are drawn instead of it. PS3.3 C.10.5.1.3.1. */
  const readCompound = (item: DataSet, part: number): GraphicItem | undefined => {
    const units = unitsOf(item, Tag.CompoundGraphicUnits);
    const read = readPoints(item, units);
    if (read === undefined) return undefined;
    const type = item.string(Tag.CompoundGraphicType) ?? '';
    const turn = turnOf(item, units);
    const [x1, y1, x2, y2] = read;
    if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) {
      return toItem({ part, shape: 'point', units, points: turn(read), item });
    }
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
    if (type === 'RECTANGLE') {
      return toItem({ part, shape: 'polygon', units, points: turn([x1, y1, x2, y1, x2, y2, x1, y2]), item });
    }
    if (type === 'ELLIPSE') {
      return toItem({ part, shape: 'ellipse', units, points: turn([x1, y, x2, y, x, y1, x, y2]), item });
    }
    return toItem({ part, shape: 'polyline', units, points: turn(read), item });
  };

  const readText = (item: DataSet, part: number): GraphicItem | undefined => {
    const value = item.string(Tag.UnformattedTextValue)?.replaceAll(/\r\n?/g, '\n') ?? '';
    const box = readBox(item);
    const anchor = readAnchor(item);
    if (value === '' || (box === undefined && anchor === undefined)) {
      invalid += 1;
      return undefined;
    }
    if (value.length > characters) {
      beyond += 1;
      return undefined;
    }
    characters -= value.length;
    const [style] = item.items(Tag.TextStyleSequence);
    const color = style && readCielab(style, Tag.TextColorCIELabValue);
    return {
      part,
      shape: 'text',
      units: 'pixel',
      points: [],
      isFilled: false,
      style: color === undefined ? {} : { color },
      text: { value, ...(box !== undefined && { box }), ...(anchor !== undefined && { anchor }) },
      how: 'stored',
      distanceMm: 0,
    };
  };

  return {
    read(annotation) {
      const part = Math.max(0, layers.indexOf(annotation.string(Tag.GraphicLayer) ?? ''));
      const graphics = annotation.items(Tag.GraphicObjectSequence);
      const texts = annotation.items(Tag.TextObjectSequence);
      const simple = new Set([...graphics, ...texts].map((item) => item.number(Tag.CompoundGraphicInstanceID)));
      const compound = annotation.items(Tag.CompoundGraphicSequence).filter((item) => {
        const id = item.number(Tag.CompoundGraphicInstanceID);
        return id === undefined || !simple.has(id);
      });
      const found: string[] = [];
      const take = (all: readonly DataSet[], read: (item: DataSet, part: number) => GraphicItem | undefined) => {
        for (const item of all) {
          if (items === 0) {
            beyond += 1;
            continue;
          }
          const graphic = read(item, part);
          if (graphic === undefined) continue;
          items -= 1;
          found.push(JSON.stringify(toWireGraphic(graphic)));
        }
      };
      take(graphics, readGraphic);
      take(compound, readCompound);
      take(texts, readText);
      // Items beyond the limit of the reader.
      for (const tag of [Tag.GraphicObjectSequence, Tag.TextObjectSequence]) {
        beyond += Math.max(0, (annotation.element(tag)?.itemCount ?? 0) - annotation.items(tag).length);
      }
      return found;
    },
    get leftOut() {
      return beyond + invalid;
    },
    get warnings() {
      return [
        ...warn(beyond, 'too_many_graphics', 'there are too many'),
        ...warn(invalid, 'invalid_graphics', 'they have no valid type, place or text'),
      ];
    },
  };
}

function warn(count: number, code: string, why: string): PresentationWarning[] {
  return count === 0 ? [] : [{ code, message: `${count} of its graphics are not drawn: ${why}.` }];
}

const SHAPES: ReadonlyMap<string, GraphicShape> = new Map<string, GraphicShape>([
  ['POINT', 'point'],
  ['POLYLINE', 'polyline'],
  ['INTERPOLATED', 'interpolated'],
  ['CIRCLE', 'circle'],
  ['ELLIPSE', 'ellipse'],
]);

const FEWEST_POINTS: Readonly<Record<GraphicShape, number>> = {
  point: 1,
  polyline: 2,
  polygon: 3,
  interpolated: 2,
  circle: 2,
  ellipse: 4,
  text: 0,
};

function unitsOf(item: DataSet, tag: number): GraphicUnits {
  const term = item.string(tag);
  return term === 'MATRIX' ? 'matrix' : term === 'DISPLAY' ? 'display' : 'pixel';
}

function isNear(number: number): boolean {
  return Math.abs(number) <= FARTHEST;
}

function toIndices(numbers: readonly number[], units: GraphicUnits): number[] {
  return numbers.map((number) => (units === 'display' ? number : number - CORNER));
}

type Shaped = Pick<GraphicItem, 'part' | 'shape' | 'units' | 'points'> & { readonly item: DataSet };

function toItem({ item, ...shaped }: Shaped): GraphicItem {
  const isFilled = item.string(Tag.GraphicFilled) === 'Y';
  return { ...shaped, isFilled, style: readStyle(item), how: 'stored', distanceMm: 0 };
}

/** Of the line; what it leaves open is that of the layer. */
function readStyle(item: DataSet): GraphicStyle {
  const [line] = item.items(Tag.LineStyleSequence);
  if (line === undefined) return {};
  const color = readCielab(line, Tag.PatternOnColorCIELabValue);
  const width = line.number(Tag.LineThickness);
  const opacity = line.number(Tag.PatternOnOpacity);
  return {
    ...(color !== undefined && { color }),
    ...(width !== undefined && width > 0 && { widthPx: Math.min(MOST_WIDTH_PX, width) }),
    ...(line.string(Tag.LineDashingStyle) === 'DASHED' && { isDashed: true }),
    ...(opacity !== undefined && opacity >= 0 && opacity <= 1 && { opacity }),
  };
}

const MOST_WIDTH_PX = 32;

/** Counterclockwise around a point. */
function turnOf(item: DataSet, units: GraphicUnits): (points: readonly number[]) => number[] {
  const angle = ((item.number(Tag.RotationAngle) ?? 0) * Math.PI) / 180;
  const [x = Number.NaN, y = Number.NaN] = toIndices(item.numbers(Tag.RotationPoint, 2), units);
  if (angle === 0 || ![angle, x, y].every(isNear)) return (points) => [...points];
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return (points) => {
    const turned: number[] = [];
    for (let at = 0; at + 1 < points.length; at += 2) {
      const [dx, dy] = [points[at]! - x, points[at + 1]! - y];
      // Rows go down, so that a counterclockwise turn has the signs of a clockwise one.
      turned.push(x + cosine * dx + sine * dy, y - sine * dx + cosine * dy);
    }
    return turned;
  };
}

function readBox(item: DataSet): GraphicText['box'] {
  const units = unitsOf(item, Tag.BoundingBoxAnnotationUnits);
  const first = item.numbers(Tag.BoundingBoxTopLeftHandCorner, 2);
  const last = item.numbers(Tag.BoundingBoxBottomRightHandCorner, 2);
  const numbers = [...first, ...last];
  if (numbers.length < 4 || !numbers.every(isNear)) return undefined;
  const [left = 0, top = 0, right = 0, bottom = 0] = toIndices(numbers, units);
  const justification = item.string(Tag.BoundingBoxTextHorizontalJustification);
  const align = justification === 'CENTER' ? 'center' : justification === 'RIGHT' ? 'right' : 'left';
  return { corners: [left, top, right, bottom], units, align };
}

function readAnchor(item: DataSet): GraphicText['anchor'] {
  const units = unitsOf(item, Tag.AnchorPointAnnotationUnits);
  const numbers = item.numbers(Tag.AnchorPoint, 2);
  if (numbers.length < 2 || !numbers.every(isNear)) return undefined;
  const [x = 0, y = 0] = toIndices(numbers, units);
  return { point: [x, y], units, isMarked: item.string(Tag.AnchorPointVisibility) === 'Y' };
}
