import type { Rgb } from '../../../../shared/cielab.ts';
import type { Code } from '../../../../shared/contract/semantics.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { NUMBER_TAGS, readContentNumber, valueOfNumber } from '../../../standard/contentTree/contentNumber.ts';
import { conceptOf, ContentCode, isOneOfCodes } from '../../../standard/contentTree/contentCodes.ts';
import { resolveItem, walkContent } from '../../../standard/contentTree/walkContent.ts';
import { findCode } from '../../../standard/dicom/code.ts';
import { readGraphicData, readRegionImage, readRegions, type RegionCollector } from '../graphics/readRegions.ts';
import type { NewRegion, RegionPart, RegionRecord, RegionShape } from '../graphics/regionRecord.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';

/** Implements `readReportTask`: the spatial coordinates of a structured report, and what it says about them. */
export function readReport(input: ReadSpatialInput): RegionRecord {
  return readRegions(input, TAGS, collectReport);
}

const TAGS: readonly number[] = [
  Tag.ConceptNameCodeSequence,
  Tag.ConceptCodeSequence,
  Tag.RelationshipType,
  Tag.ValueType,
  Tag.TextValue,
  ...NUMBER_TAGS,
  Tag.ContentSequence,
  Tag.ReferencedContentItemIdentifier,
  Tag.ReferencedSOPSequence,
  Tag.PixelOriginInterpretation,
  Tag.ReferencedFrameOfReferenceUID,
  Tag.GraphicType,
];

const MOST_MEASUREMENTS = 64;
const MOST_CHILDREN = 4096;
const MOST_PARTS = 16_384;

/** Graphic Type, PS3.3 C.18.6.1.2 and C.18.9.1.2. */
const SHAPES: ReadonlyMap<string, RegionShape> = new Map([
  ['POINT', 'point'],
  ['MULTIPOINT', 'point'],
  ['POLYLINE', 'polyline'],
  ['POLYGON', 'polygon'],
  ['CIRCLE', 'circle'],
  ['ELLIPSE', 'ellipse'],
  ['ELLIPSOID', 'ellipsoid'],
]);

/** A part of the report before its number is known: it has one only if it has a region. */
type Draft = {
  readonly facts: Facts;
  /** Its place in the content tree. */
  readonly item: string;
  readonly geometry: Set<string>;
  number: number;
  count: number;
};

type Facts = {
  readonly label: string | undefined;
  readonly finding: Code | undefined;
  readonly measurements: readonly string[];
  readonly color: Rgb | undefined;
};

type Context = {
  /** The group of measurements that an item belongs to. */
  readonly draft: Draft | undefined;
  /** The images of the spatial coordinates around an item. */
  readonly places: readonly number[];
};

function collectReport(root: DataSet, { places, leaveOut, add }: RegionCollector): RegionPart[] {
  const drafts: Draft[] = [];

  const numberOf = (draft: Draft): number | undefined => {
    if (draft.number === 0 && drafts.length < MOST_PARTS) draft.number = drafts.push(draft);
    return draft.number === 0 ? undefined : draft.number;
  };

  const addShape = (item: DataSet, draft: Draft, at: readonly NewRegion['place'][], dimensions: 2 | 3): void => {
    const number = numberOf(draft);
    if (number === undefined) {
      leaveOut(undefined, `there are more than ${MOST_PARTS} groups of regions`);
      return;
    }
    const type = item.string(Tag.GraphicType)?.toUpperCase() ?? '';
    const shape = SHAPES.get(type);
    draft.geometry.add(type);
    draft.count += 1;
    if (shape === undefined) {
      leaveOut(number, `the graphic type “${type.slice(0, 32)}” is not one of the standard`);
      return;
    }
    if (at.length === 0) {
      leaveOut(number, dimensions === 2 ? 'the region names no image' : 'the region names no frame of reference');
      return;
    }
    const coordinates = readCoordinates(item, dimensions, shape);
    for (const place of at) add(number, { shape, coordinates, dimensions, place });
  };

  walkContent<Context>(root, { context: { draft: undefined, places: [] } }, (item, { place, context }) => {
    const type = item.string(Tag.ValueType);
    const isScoord = type === 'SCOORD';
    let { draft, places: at } = context;
    if (isScoord || type === 'SCOORD3D') {
      const own = describeItem(item);
      // Some writers describe a region by items below it instead of beside it.
      if (draft === undefined || own.label !== undefined || own.measurements.length > 0)
        draft = createDraft(own, item, place);
      const found = isScoord ? listImages(item, root).map((image) => places.ofImage(image)) : [];
      if (isScoord && found.length > 0) at = found;
      const space = item.string(Tag.ReferencedFrameOfReferenceUID);
      addShape(item, draft, isScoord ? at : space === undefined ? [] : [places.ofSpace(space)], isScoord ? 2 : 3);
    } else if (isGroup(item, type) || (type === 'NUM' && draft === undefined)) {
      draft = createDraft(describeItem(item), item, place);
    }
    // The coordinates below a text say where it is to be written.
    return type === 'TEXT' ? undefined : { draft, places: at };
  });

  return drafts.map(toPart);
}

function createDraft(facts: Facts, item: DataSet, place: string): Draft {
  const label = facts.label ?? facts.finding?.meaning ?? conceptOf(item)?.meaning;
  return { facts: { ...facts, label }, item: place, geometry: new Set(), number: 0, count: 0 };
}

/** Measurement Group (TID 1410, 1411, 1501). */
function isGroup(item: DataSet, type: string | undefined): boolean {
  return type === 'CONTAINER' && isOneOfCodes(conceptOf(item), ContentCode.MeasurementGroup);
}

/** What the items below one say about it. */
function describeItem(item: DataSet): Facts {
  let [tracking, short]: (string | undefined)[] = [];
  let finding: Code | undefined;
  let color: Rgb | undefined;
  const measurements: string[] = [];
  const own = item.string(Tag.ValueType) === 'NUM' ? describeMeasurement(item) : undefined;
  if (own !== undefined) measurements.push(own);
  for (const child of item.items(Tag.ContentSequence).slice(0, MOST_CHILDREN)) {
    const name = conceptOf(child);
    switch (child.string(Tag.ValueType) ?? '') {
      case 'TEXT': {
        const text = child.string(Tag.TextValue);
        if (isOneOfCodes(name, ContentCode.TrackingIdentifier)) tracking = text;
        else if (isOneOfCodes(name, ['125309', 'DCM'])) short = text;
        else if (isOneOfCodes(name, ['718499004', 'SCT'])) color = parseColor(text);
        break;
      }
      case 'CODE':
        if (isOneOfCodes(name, ContentCode.Finding)) finding = findCode(child, Tag.ConceptCodeSequence);
        break;
      case 'NUM': {
        const measurement = measurements.length < MOST_MEASUREMENTS ? describeMeasurement(child) : undefined;
        if (measurement !== undefined) measurements.push(measurement);
        break;
      }
      default:
    }
  }
  // A label in braces is a template of the program that wrote it.
  const label = tracking ?? (short?.startsWith('{') === true ? undefined : short);
  return { label, finding, measurements, color };
}

/** Example: `Diameter 10 mm`. */
function describeMeasurement(item: DataSet): string | undefined {
  const name = conceptOf(item)?.meaning;
  const { unitLabel, ...number } = readContentNumber(item);
  const value = valueOfNumber(number);
  if (name === undefined || value === undefined) return undefined;
  return `${name} ${Number(value.toPrecision(5))}${unitLabel === '' ? '' : ` ${unitLabel}`}`;
}

function parseColor(text: string | undefined): Rgb | undefined {
  const [, red, green, blue] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text ?? '') ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return [parseInt(red, 16), parseInt(green, 16), parseInt(blue, 16)];
}

/** The images that spatial coordinates are selected from, in items below them or in items that they refer to. */
function listImages(item: DataSet, root: DataSet) {
  const origin = item.string(Tag.PixelOriginInterpretation) === 'VOLUME' ? ('matrix' as const) : ('frame' as const);
  return item
    .items(Tag.ContentSequence)
    .slice(0, MOST_CHILDREN)
    .flatMap((child) => {
      if (child.string(Tag.RelationshipType)?.endsWith('SELECTED FROM') !== true) return [];
      const references = resolveItem(root, child)?.items(Tag.ReferencedSOPSequence) ?? [];
      return references.flatMap((reference) => readRegionImage(reference, origin) ?? []);
    });
}

function readCoordinates(item: DataSet, dimensions: 2 | 3, shape: RegionShape): readonly number[] {
  const values = readGraphicData(item, dimensions);
  const repeats =
    shape === 'polygon' &&
    values.length > 3 * dimensions &&
    values.slice(-dimensions).every((value, axis) => value === values[axis]);
  // The first point again at the end is not a corner of its own.
  return repeats ? values.slice(0, -dimensions) : values;
}

/** Measurements beside a region; the others are in the panel. */
const MOST_WRITTEN = 3;
const MOST_LETTERS = 64;

function toPart({ facts, item, geometry, number, count }: Draft): RegionPart {
  const { label, finding, measurements, color } = facts;
  const named = finding?.meaning === label ? [] : [finding?.meaning ?? ''];
  const description = [...named, ...measurements].filter((text) => text !== '').join(' · ');
  const lines = [label ?? '', ...measurements.slice(0, MOST_WRITTEN)].filter((text) => text !== '');
  return {
    number,
    label,
    description: description === '' ? undefined : description,
    type: finding,
    color,
    geometry: [...geometry],
    item,
    text: lines.length === 0 ? undefined : lines.map(shorten).join('\n'),
    count,
  };
}

function shorten(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
}
