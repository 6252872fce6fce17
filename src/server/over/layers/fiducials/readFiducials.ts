import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { findCode } from '../../../standard/dicom/code.ts';
import { readGraphicData, readRegionImage, readRegions, type RegionCollector } from '../graphics/readRegions.ts';
import {
  MOST_REGION_POINTS,
  type NewRegion,
  type RegionPart,
  type RegionRecord,
  type RegionShape,
} from '../graphics/regionRecord.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';

/** Implements `readFiducialsTask`. */
export function readFiducials(input: ReadSpatialInput): RegionRecord {
  return readRegions(input, TAGS, collectFiducials);
}

const TAGS: readonly number[] = [
  Tag.FiducialSetSequence,
  Tag.FrameOfReferenceUID,
  Tag.ReferencedImageSequence,
  Tag.FiducialSequence,
  Tag.FiducialIdentifier,
  Tag.FiducialIdentifierCodeSequence,
  Tag.FiducialDescription,
  Tag.ShapeType,
  Tag.ContourUncertaintyRadius,
  Tag.ContourData,
  Tag.GraphicCoordinatesDataSequence,
];

const MOST_FIDUCIALS = 16_384;

type Shape = { readonly shape: RegionShape; readonly coordinates: readonly number[] };

function collectFiducials(root: DataSet, { places, leaveOut, add }: RegionCollector): RegionPart[] {
  const parts: RegionPart[] = [];

  const addShapes = (item: DataSet, coordinates: readonly number[], at: Pick<NewRegion, 'place' | 'dimensions'>) => {
    const type = item.string(Tag.ShapeType) ?? '';
    const shapes = toShapes(type, coordinates, at.dimensions);
    const uncertainty = item.number(Tag.ContourUncertaintyRadius);
    if (shapes.length === 0) leaveOut(parts.length, `the shape “${type.slice(0, 32)}” is not one of the standard`);
    for (const shape of shapes) add(parts.length, { ...shape, ...at, uncertainty });
  };

  for (const set of root.items(Tag.FiducialSetSequence)) {
    const space = set.string(Tag.FrameOfReferenceUID);
    for (const item of set.items(Tag.FiducialSequence)) {
      if (parts.length >= MOST_FIDUCIALS) {
        leaveOut(undefined, `there are more than ${MOST_FIDUCIALS} fiducials`);
        continue;
      }
      const inImages = item.items(Tag.GraphicCoordinatesDataSequence);
      const hasPoints = item.has(Tag.ContourData);
      parts.push(describeFiducial(item, parts.length + 1, inImages.length + (hasPoints ? 1 : 0)));
      if (hasPoints) {
        const coordinates = item.numbers(Tag.ContourData, 3 * MOST_REGION_POINTS + 3);
        if (space === undefined) leaveOut(parts.length, 'the set names no frame of reference');
        else addShapes(item, coordinates, { dimensions: 3, place: places.ofSpace(space) });
      }
      for (const graphic of inImages) {
        const image = findImage(graphic) ?? onlyImage(set);
        if (image === undefined) leaveOut(parts.length, 'the fiducial names no image');
        else addShapes(item, readGraphicData(graphic, 2), { dimensions: 2, place: places.ofImage(image) });
      }
      if (!hasPoints && inImages.length === 0) leaveOut(parts.length, 'the fiducial has no points');
    }
  }
  return parts;
}

function describeFiducial(item: DataSet, number: number, count: number): RegionPart {
  const identifier = item.string(Tag.FiducialIdentifier);
  const type = findCode(item, Tag.FiducialIdentifierCodeSequence);
  const description = item.string(Tag.FiducialDescription);
  const label = identifier ?? type?.meaning ?? description;
  const uncertainty = item.number(Tag.ContourUncertaintyRadius);
  const texts = [
    type?.meaning === label ? '' : (type?.meaning ?? ''),
    description === label ? '' : (description ?? ''),
    uncertainty === undefined ? '' : `± ${Number(uncertainty.toPrecision(4))} mm`,
  ].filter((text) => text !== '');
  return {
    number,
    label,
    description: texts.length === 0 ? undefined : texts.join(' · '),
    type,
    color: undefined,
    geometry: [item.string(Tag.ShapeType) ?? ''],
    text: label?.slice(0, 64),
    count,
  };
}

function findImage(item: DataSet) {
  return readRegionImage(item.items(Tag.ReferencedImageSequence)[0]);
}

/** For coordinates that name no image: that of the set, if there is only one. */
function onlyImage(set: DataSet) {
  return set.items(Tag.ReferencedImageSequence).length === 1 ? findImage(set) : undefined;
}

/** Shape Type, PS3.3 C.21.2.1.1. */
function toShapes(type: string, coordinates: readonly number[], dimensions: 2 | 3): Shape[] {
  switch (type) {
    case 'POINT':
    case 'SURFACE':
      return [{ shape: 'point', coordinates }];
    case 'LINE':
      return [{ shape: 'line', coordinates }];
    case 'PLANE':
      return [{ shape: 'plane', coordinates }];
    case 'RULER':
      return [
        { shape: 'polyline', coordinates },
        { shape: 'point', coordinates },
      ];
    case 'L_SHAPE':
    case 'SHAPE':
      return [{ shape: coordinates.length === dimensions ? 'point' : 'polyline', coordinates }];
    case 'T_SHAPE':
      return toT(coordinates, dimensions);
    default:
      return [];
  }
}

/** Lines AB and CD, where C bisects AB; the points are A, B and D. */
function toT(coordinates: readonly number[], dimensions: 2 | 3): Shape[] {
  const pointAt = (at: number) => coordinates.slice(at * dimensions, (at + 1) * dimensions);
  const [a, b, d] = [pointAt(0), pointAt(1), pointAt(2)];
  if (coordinates.length !== 3 * dimensions) return [{ shape: 'polyline', coordinates }];
  const middle = a.map((value, axis) => (value + b[axis]!) / 2);
  return [
    { shape: 'polyline', coordinates: [...a, ...b] },
    { shape: 'polyline', coordinates: [...middle, ...d] },
  ];
}
