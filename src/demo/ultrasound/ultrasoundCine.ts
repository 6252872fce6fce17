import type { DataSetInput } from '../../server/standard/dicom/writeDicom.ts';
import * as Tag from '../../server/standard/dicom/tag.ts';
import { codeSequence } from '../../server/standard/dicom/codeSequence.ts';
import { colorPixels, rlePixels } from '../pixelElements.ts';
import { DEMO_SERIES, commonElements } from '../studyElements.ts';
import { APEX, CINE_COLUMNS, CINE_FRAMES, CINE_ROWS, createCine, MM_PER_PIXEL } from './cineFrames.ts';

const ULTRASOUND_MULTI_FRAME_IMAGE_STORAGE = '1.2.840.10008.5.1.4.1.1.3.1';

const FRAME_TIME_MS = 40;

export function ultrasoundCine(): DataSetInput {
  const frames = createCine().map((samples) => ({ samples, samplesPerPixel: 3, columns: CINE_COLUMNS }) as const);
  return {
    ...commonElements(DEMO_SERIES.ultrasound, ULTRASOUND_MULTI_FRAME_IMAGE_STORAGE, 1),
    ...colorPixels({ rows: CINE_ROWS, columns: CINE_COLUMNS }),
    // 2D imaging (1) and color flow (10), encoded in the bits of the fourth value. PS3.3 C.8.5.6.1.1.
    ImageType: ['ORIGINAL', 'PRIMARY', '', '0011'],
    AcquisitionDateTime: '20250114095000',
    PatientOrientation: '',
    LossyImageCompression: '00',
    BurnedInAnnotation: 'NO',
    NumberOfFrames: CINE_FRAMES,
    FrameIncrementPointer: Tag.FrameTime,
    FrameTime: FRAME_TIME_MS,
    CineRate: 1000 / FRAME_TIME_MS,
    RecommendedDisplayFrameRate: 1000 / FRAME_TIME_MS,
    PreferredPlaybackSequencing: 0,
    HeartRate: 60,
    UltrasoundColorDataPresent: 1,
    AnatomicRegionSequence: codeSequence(['80891009', 'SCT', 'Heart']),
    SequenceOfUltrasoundRegions: [
      {
        RegionSpatialFormat: 1,
        RegionDataType: 1,
        RegionFlags: 2,
        RegionLocationMinX0: 40,
        RegionLocationMinY0: 0,
        RegionLocationMaxX1: CINE_COLUMNS - 31,
        RegionLocationMaxY1: CINE_ROWS - 1,
        ReferencePixelX0: APEX.column - 40,
        ReferencePixelY0: APEX.row,
        PhysicalUnitsXDirection: 3,
        PhysicalUnitsYDirection: 3,
        ReferencePixelPhysicalValueX: 0,
        ReferencePixelPhysicalValueY: 0,
        PhysicalDeltaX: MM_PER_PIXEL / 10,
        PhysicalDeltaY: MM_PER_PIXEL / 10,
      },
    ],
    PixelData: rlePixels(frames),
  };
}
