/** Parameters that are compared between series of one protocol. Those that an automatic exposure changes are not among them. */
export const PROTOCOL_KEYWORDS = [
  'RepetitionTime',
  'EchoTime',
  'InversionTime',
  'FlipAngle',
  'EchoTrainLength',
  'NumberOfAverages',
  'MagneticFieldStrength',
  'PixelBandwidth',
  'ScanningSequence',
  'SequenceVariant',
  'MRAcquisitionType',
  'InPlanePhaseEncodingDirection',
  'ReceiveCoilName',
  'TransmitCoilName',
  'Rows',
  'Columns',
  'BitsStored',
  'PixelSpacing',
  'ImagerPixelSpacing',
  'SliceThickness',
  'SpacingBetweenSlices',
  'KVP',
  'ConvolutionKernel',
  'FilterType',
  'ReconstructionDiameter',
  'SpiralPitchFactor',
  'ReconstructionMethod',
  'AttenuationCorrectionMethod',
  'ScatterCorrectionMethod',
  'Units',
  'SoftwareVersions',
] as const;

/** Elements of enhanced images that say the same as others. */
export const PROTOCOL_ALIASES: ReadonlyMap<string, string> = new Map([['EffectiveEchoTime', 'EchoTime']]);

/** What decides which series belong together. */
export const GROUP_KEYWORDS = ['Manufacturer', 'ManufacturerModelName', 'SeriesDescription'] as const;

/** Other elements of the data set itself that audits need. */
export const SAID_KEYWORDS = [
  ...GROUP_KEYWORDS,
  'AcquisitionNumber',
  'BurnedInAnnotation',
  'ConversionType',
  'ImageType',
  'ImagesInAcquisition',
  'NumberOfSlices',
  'NumberOfTimeSlices',
  'PatientIdentityRemoved',
  'RecognizableVisualFeatures',
  'SeriesType',
] as const;
