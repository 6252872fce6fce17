import type { DataSetInput } from '../../server/standard/dicom/writeDicom.ts';
import { codeSequence } from '../../server/standard/dicom/codeSequence.ts';
import { colorPixels, rlePixels } from '../pixelElements.ts';
import {
  DEMO_SERIES,
  commonElements,
  SLIDE_DIMENSIONS_UID,
  SLIDE_FRAME_OF_REFERENCE_UID,
  SLIDE_PYRAMID_UID,
  SPECIMEN_UID,
  STUDY_DATE,
} from '../studyElements.ts';
import { createLiverTissue, GLASS } from './liverTissue.ts';
import { cutTiles, type Raster, shrink } from './raster.ts';
import { BARCODE, createSlideLabel, LABEL_TEXT } from './slideLabel.ts';
import { createSlideOverview } from './slideOverview.ts';
import { createSrgbProfile } from './srgbProfile.ts';

const WHOLE_SLIDE_MICROSCOPY_IMAGE_STORAGE = '1.2.840.10008.5.1.4.1.1.77.1.6';

const TILE_SIDE = 256;
const BASE_MM_PER_PIXEL = 0.001;
const LEVEL_FACTOR = 4;

/** One file of the slide; `name` is the name of the file. */
type SlideImage = { readonly name: string; readonly dataSet: DataSetInput };

/** Three levels of the pyramid, the label and the overview. */
export function createSlideImages(): SlideImage[] {
  const base = createLiverTissue();
  const middle = shrink(base, LEVEL_FACTOR);
  const small = shrink(middle, LEVEL_FACTOR);
  const label = createSlideLabel();
  return [
    { name: 'level-0', dataSet: level(base, { instance: 1, factor: 1 }) },
    { name: 'level-1', dataSet: level(middle, { instance: 2, factor: LEVEL_FACTOR }) },
    { name: 'level-2', dataSet: level(small, { instance: 3, factor: LEVEL_FACTOR ** 2 }) },
    { name: 'label', dataSet: companion(label, { instance: 4, role: 'LABEL' }) },
    {
      name: 'overview',
      dataSet: companion(createSlideOverview(small, shrink(label, 2)), { instance: 5, role: 'OVERVIEW' }),
    },
  ];
}

function level(raster: Raster, { instance, factor }: { instance: number; factor: number }): DataSetInput {
  const tiles = cutTiles(raster, TILE_SIDE, GLASS);
  return {
    ...slideElements(instance, {
      raster,
      tile: { rows: TILE_SIDE, columns: TILE_SIDE },
      imageType:
        factor === 1 ? ['ORIGINAL', 'PRIMARY', 'VOLUME', 'NONE'] : ['DERIVED', 'PRIMARY', 'VOLUME', 'RESAMPLED'],
      mmPerPixel: BASE_MM_PER_PIXEL * factor,
    }),
    PyramidUID: SLIDE_PYRAMID_UID,
    PyramidLabel: 'Liver biopsy',
    SpecimenLabelInImage: 'NO',
    NumberOfFrames: tiles.length,
    PixelData: rlePixels(tiles.map((samples) => ({ samples, samplesPerPixel: 3, columns: TILE_SIDE }))),
  };
}

function companion(raster: Raster, { instance, role }: { instance: number; role: 'LABEL' | 'OVERVIEW' }): DataSetInput {
  const { rows, columns, pixels } = raster;
  return {
    ...slideElements(instance, {
      raster,
      tile: { rows, columns },
      imageType: ['ORIGINAL', 'PRIMARY', role, 'NONE'],
      mmPerPixel: role === 'LABEL' ? 0.05 : BASE_MM_PER_PIXEL * LEVEL_FACTOR ** 2,
    }),
    SpecimenLabelInImage: 'YES',
    LabelText: LABEL_TEXT,
    BarcodeValue: BARCODE,
    NumberOfFrames: 1,
    PixelData: rlePixels([{ samples: pixels, samplesPerPixel: 3, columns }]),
  };
}

type SlideShape = {
  readonly raster: Raster;
  readonly tile: { readonly rows: number; readonly columns: number };
  readonly imageType: readonly string[];
  readonly mmPerPixel: number;
};

function slideElements(instance: number, { raster, tile, imageType, mmPerPixel }: SlideShape): DataSetInput {
  return {
    ...commonElements(DEMO_SERIES.slide, WHOLE_SLIDE_MICROSCOPY_IMAGE_STORAGE, instance),
    ...colorPixels(tile),
    ...specimenElements(),
    ImageType: imageType,
    FrameOfReferenceUID: SLIDE_FRAME_OF_REFERENCE_UID,
    PositionReferenceIndicator: 'SLIDE_CORNER',
    AcquisitionDateTime: `${STUDY_DATE}${DEMO_SERIES.slide.time}`,
    AcquisitionDuration: 60,
    AcquisitionContextSequence: [],
    VolumetricProperties: 'VOLUME',
    BurnedInAnnotation: imageType[2] === 'VOLUME' ? 'NO' : 'YES',
    LossyImageCompression: '00',
    FocusMethod: 'AUTO',
    ExtendedDepthOfField: 'NO',
    ImagedVolumeWidth: raster.columns * mmPerPixel,
    ImagedVolumeHeight: raster.rows * mmPerPixel,
    ImagedVolumeDepth: 0.004,
    TotalPixelMatrixColumns: raster.columns,
    TotalPixelMatrixRows: raster.rows,
    TotalPixelMatrixFocalPlanes: 1,
    TotalPixelMatrixOriginSequence: [{ XOffsetInSlideCoordinateSystem: 18, YOffsetInSlideCoordinateSystem: 40 }],
    // The row index grows towards negative x of the slide, because the label end is at the top.
    ImageOrientationSlide: [0, -1, 0, -1, 0, 0],
    DimensionOrganizationSequence: [{ DimensionOrganizationUID: SLIDE_DIMENSIONS_UID }],
    DimensionOrganizationType: 'TILED_FULL',
    NumberOfOpticalPaths: 1,
    OpticalPathSequence: [opticalPath()],
    SharedFunctionalGroupsSequence: [
      {
        PixelMeasuresSequence: [{ SliceThickness: 0.004, PixelSpacing: [mmPerPixel, mmPerPixel] }],
        WholeSlideMicroscopyImageFrameTypeSequence: [{ FrameType: imageType }],
        OpticalPathIdentificationSequence: [{ OpticalPathIdentifier: '1' }],
      },
    ],
  };
}

function opticalPath(): DataSetInput {
  return {
    OpticalPathIdentifier: '1',
    OpticalPathDescription: 'Brightfield',
    IlluminationTypeCodeSequence: codeSequence(['111744', 'DCM', 'Brightfield illumination']),
    IlluminationColorCodeSequence: codeSequence(['414298005', 'SCT', 'Full Spectrum']),
    ObjectiveLensPower: 10,
    ICCProfile: createSrgbProfile(),
  };
}

function specimenElements(): DataSetInput {
  return {
    ContainerIdentifier: BARCODE,
    IssuerOfTheContainerIdentifierSequence: [],
    ContainerTypeCodeSequence: codeSequence(['433466003', 'SCT', 'Microscope slide']),
    SpecimenDescriptionSequence: [
      {
        SpecimenIdentifier: BARCODE,
        IssuerOfTheSpecimenIdentifierSequence: [],
        SpecimenUID: SPECIMEN_UID,
        SpecimenShortDescription: 'Liver, needle biopsy, computed',
        SpecimenPreparationSequence: [
          {
            SpecimenPreparationStepContentItemSequence: [
              stain('12710003', 'hematoxylin stain'),
              stain('36879007', 'water soluble eosin stain'),
            ],
          },
        ],
        PrimaryAnatomicStructureSequence: codeSequence(['10200004', 'SCT', 'Liver']),
      },
    ],
  };
}

function stain(code: string, meaning: string): DataSetInput {
  return {
    ValueType: 'CODE',
    ConceptNameCodeSequence: codeSequence(['424361007', 'SCT', 'Using substance']),
    ConceptCodeSequence: codeSequence([code, 'SCT', meaning]),
  };
}
