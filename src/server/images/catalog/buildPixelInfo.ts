import type { Attributes, DataSet } from '../../standard/dicom/dataSet.ts';
import { attributesOfFrame } from '../../standard/dicom/eachFrame.ts';
import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { isAlwaysLossy } from '../pixels/codecs/registry.ts';
import { findInteger } from '../pixels/imagePixel.ts';

/**
 * The values of /info that are not in the file's record, because they are needed only for display. They describe the
 * first frame.
 */
export type PixelInfo = {
  readonly highBit: number;
  readonly pixelRepresentation: number;
  readonly planarConfiguration: number | undefined;
  readonly rescale: { readonly slope: number; readonly intercept: number; readonly type: string | undefined };
  readonly windows: readonly DeclaredWindow[];
  readonly voiLutFunction: string;
  readonly frameTimeMs: number | undefined;
  readonly lossy: boolean;
};

export type DeclaredWindow = {
  readonly center: number;
  readonly width: number;
  readonly explanation: string | undefined;
};

export function buildPixelInfo(dataSet: DataSet, transferSyntaxUid: string): PixelInfo {
  const transformation = attributesOfFrame(dataSet, 0, Tag.PixelValueTransformationSequence);
  const voi = attributesOfFrame(dataSet, 0, Tag.FrameVOILUTSequence);
  return {
    highBit: findInteger(dataSet, Tag.HighBit) ?? Math.max(0, (findInteger(dataSet, Tag.BitsStored) ?? 0) - 1),
    pixelRepresentation: findInteger(dataSet, Tag.PixelRepresentation) ?? 0,
    planarConfiguration: findInteger(dataSet, Tag.PlanarConfiguration),
    rescale: {
      slope: transformation.number(Tag.RescaleSlope) ?? 1,
      intercept: transformation.number(Tag.RescaleIntercept) ?? 0,
      type: transformation.string(Tag.RescaleType),
    },
    windows: listWindows(voi),
    voiLutFunction: voi.string(Tag.VOILUTFunction) ?? 'LINEAR',
    frameTimeMs: findFrameTimeMs(dataSet),
    lossy: dataSet.string(Tag.LossyImageCompression) === '01' || isAlwaysLossy(transferSyntaxUid),
  };
}

function listWindows(voi: Attributes): DeclaredWindow[] {
  const widths = voi.numbers(Tag.WindowWidth, MOST_VALUES.windows);
  const explanations = voi.strings(Tag.WindowCenterWidthExplanation, MOST_VALUES.windows);
  return voi.numbers(Tag.WindowCenter, MOST_VALUES.windows).flatMap((center, i) => {
    const width = widths[i];
    if (width === undefined || !Number.isFinite(center) || !Number.isFinite(width)) return [];
    return [{ center, width, explanation: explanations[i] === '' ? undefined : explanations[i] }];
  });
}

/** Time from one frame to the next, from the attribute that the object's module uses. PS3.3 C.7.6.5 and C.7.6.6. */
export function findFrameTimeMs(dataSet: DataSet): number | undefined {
  const frameTime = dataSet.number(Tag.FrameTime);
  if (frameTime !== undefined && frameTime > 0) return frameTime;
  // The first increment precedes the first frame and is always 0.
  const increments = dataSet.numbers(Tag.FrameTimeVector, MOST_VALUES.frames).slice(1).filter(Number.isFinite);
  if (increments.length > 0) {
    const mean = increments.reduce((sum, increment) => sum + increment, 0) / increments.length;
    if (mean > 0) return mean;
  }
  const framesPerSecond = dataSet.number(Tag.RecommendedDisplayFrameRate) ?? dataSet.number(Tag.CineRate);
  return framesPerSecond !== undefined && framesPerSecond > 0 ? 1000 / framesPerSecond : undefined;
}
