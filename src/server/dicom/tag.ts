// Tags by keyword, as numbers with the group in the upper 16 bits. Used as `Tag.Rows`; sorted by tag within each
// section.

// File meta information
export const FileMetaInformationGroupLength = 0x00020000;
export const FileMetaInformationVersion = 0x00020001;
export const MediaStorageSOPClassUID = 0x00020002;
export const MediaStorageSOPInstanceUID = 0x00020003;
export const TransferSyntaxUID = 0x00020010;
export const ImplementationClassUID = 0x00020012;
export const ImplementationVersionName = 0x00020013;

// Media directory
export const FileSetID = 0x00041130;
export const OffsetOfTheFirstDirectoryRecordOfTheRootDirectoryEntity = 0x00041200;
export const DirectoryRecordSequence = 0x00041220;
export const OffsetOfTheNextDirectoryRecord = 0x00041400;
export const DirectoryRecordType = 0x00041430;
export const ReferencedFileID = 0x00041500;
export const ReferencedSOPClassUIDInFile = 0x00041510;
export const ReferencedSOPInstanceUIDInFile = 0x00041511;

// Patient, study, series, instance
export const SpecificCharacterSet = 0x00080005;
export const ImageType = 0x00080008;
export const InstanceCreationDate = 0x00080012;
export const InstanceCreationTime = 0x00080013;
export const SOPClassUID = 0x00080016;
export const SOPInstanceUID = 0x00080018;
export const StudyDate = 0x00080020;
export const SeriesDate = 0x00080021;
export const AcquisitionDate = 0x00080022;
export const ContentDate = 0x00080023;
export const AcquisitionDateTime = 0x0008002a;
export const StudyTime = 0x00080030;
export const SeriesTime = 0x00080031;
export const AcquisitionTime = 0x00080032;
export const ContentTime = 0x00080033;
export const AccessionNumber = 0x00080050;
export const Modality = 0x00080060;
export const ConversionType = 0x00080064;
export const Manufacturer = 0x00080070;
export const InstitutionName = 0x00080080;
export const ReferringPhysicianName = 0x00080090;
export const TimezoneOffsetFromUTC = 0x00080201;
export const StudyDescription = 0x00081030;
export const SeriesDescription = 0x0008103e;
export const ManufacturerModelName = 0x00081090;
export const PatientName = 0x00100010;
export const PatientID = 0x00100020;
export const PatientBirthDate = 0x00100030;
export const PatientSex = 0x00100040;
export const PatientAge = 0x00101010;
export const PatientSize = 0x00101020;
export const PatientWeight = 0x00101030;
export const BodyPartExamined = 0x00180015;
export const DeviceSerialNumber = 0x00181000;
export const SoftwareVersions = 0x00181020;
export const ProtocolName = 0x00181030;
export const PatientPosition = 0x00185100;
export const ViewPosition = 0x00185101;
export const StudyInstanceUID = 0x0020000d;
export const SeriesInstanceUID = 0x0020000e;
export const StudyID = 0x00200010;
export const SeriesNumber = 0x00200011;
export const AcquisitionNumber = 0x00200012;
export const InstanceNumber = 0x00200013;
export const PatientOrientation = 0x00200020;
export const Laterality = 0x00200060;
export const ImageLaterality = 0x00200062;
export const IconImageSequence = 0x00880200;
export const ImageComments = 0x00204000;
export const StudyStatusID = 0x0032000a;

// Codes
export const CodeValue = 0x00080100;
export const CodingSchemeDesignator = 0x00080102;
export const CodingSchemeVersion = 0x00080103;
export const CodeMeaning = 0x00080104;
export const MappingResource = 0x00080105;
export const LongCodeValue = 0x00080119;
export const URNCodeValue = 0x00080120;
export const ConceptNameCodeSequence = 0x0040a043;
export const ConceptCodeSequence = 0x0040a168;

// References
export const ReferencedStudySequence = 0x00081110;
export const ReferencedSeriesSequence = 0x00081115;
export const ReferencedWaveformSequence = 0x0008113a;
export const ReferencedImageSequence = 0x00081140;
export const ReferencedInstanceSequence = 0x0008114a;
export const ReferencedSOPClassUID = 0x00081150;
export const ReferencedSOPInstanceUID = 0x00081155;
export const ReferencedFrameNumber = 0x00081160;
export const ReferencedSOPSequence = 0x00081199;
export const StudiesContainingOtherReferencedInstancesSequence = 0x00081200;
export const DerivationDescription = 0x00082111;
export const SourceImageSequence = 0x00082112;
export const ReferencedRawDataSequence = 0x00089121;
export const DerivationImageSequence = 0x00089124;
export const DerivationCodeSequence = 0x00089215;
export const ReferencedPresentationStateSequence = 0x00089237;
export const SpatialLocationsPreserved = 0x0028135a;
export const ReferencedImageRealWorldValueMappingSequence = 0x00409094;
export const PurposeOfReferenceCodeSequence = 0x0040a170;
export const CurrentRequestedProcedureEvidenceSequence = 0x0040a375;
export const PertinentOtherEvidenceSequence = 0x0040a385;
export const SourceInstanceSequence = 0x00420013;
export const ReferencedSegmentNumber = 0x0062000b;

// Image pixel
export const ImagerPixelSpacing = 0x00181164;
export const NominalScannedPixelSpacing = 0x00182010;
export const StereoPairsPresent = 0x00220028;
export const SamplesPerPixel = 0x00280002;
export const PhotometricInterpretation = 0x00280004;
export const PlanarConfiguration = 0x00280006;
export const NumberOfFrames = 0x00280008;
export const FrameIncrementPointer = 0x00280009;
export const Rows = 0x00280010;
export const Columns = 0x00280011;
export const PixelSpacing = 0x00280030;
export const PixelAspectRatio = 0x00280034;
export const BitsAllocated = 0x00280100;
export const BitsStored = 0x00280101;
export const HighBit = 0x00280102;
export const PixelRepresentation = 0x00280103;
export const SmallestImagePixelValue = 0x00280106;
export const LargestImagePixelValue = 0x00280107;
export const PixelPaddingValue = 0x00280120;
export const PixelPaddingRangeLimit = 0x00280121;
export const FloatPixelPaddingValue = 0x00280122;
export const DoubleFloatPixelPaddingValue = 0x00280123;
export const FloatPixelPaddingRangeLimit = 0x00280124;
export const DoubleFloatPixelPaddingRangeLimit = 0x00280125;
export const QualityControlImage = 0x00280300;
export const BurnedInAnnotation = 0x00280301;
export const PixelSpacingCalibrationType = 0x00280a02;
export const RedPaletteColorLookupTableDescriptor = 0x00281101;
export const GreenPaletteColorLookupTableDescriptor = 0x00281102;
export const BluePaletteColorLookupTableDescriptor = 0x00281103;
export const AlphaPaletteColorLookupTableDescriptor = 0x00281104;
export const PaletteColorLookupTableUID = 0x00281199;
export const RedPaletteColorLookupTableData = 0x00281201;
export const GreenPaletteColorLookupTableData = 0x00281202;
export const BluePaletteColorLookupTableData = 0x00281203;
export const AlphaPaletteColorLookupTableData = 0x00281204;
export const SegmentedRedPaletteColorLookupTableData = 0x00281221;
export const SegmentedGreenPaletteColorLookupTableData = 0x00281222;
export const SegmentedBluePaletteColorLookupTableData = 0x00281223;
export const ICCProfile = 0x00282000;
export const ColorSpace = 0x00282002;
export const LossyImageCompression = 0x00282110;
export const LossyImageCompressionRatio = 0x00282112;
export const LossyImageCompressionMethod = 0x00282114;
export const PixelDataProviderURL = 0x00287fe0;
export const PresentationPixelSpacing = 0x00700101;
export const PresentationPixelAspectRatio = 0x00700102;

// Modality and VOI
export const PixelIntensityRelationship = 0x00281040;
export const WindowCenter = 0x00281050;
export const WindowWidth = 0x00281051;
export const RescaleIntercept = 0x00281052;
export const RescaleSlope = 0x00281053;
export const RescaleType = 0x00281054;
export const WindowCenterWidthExplanation = 0x00281055;
export const VOILUTFunction = 0x00281056;
export const RecommendedViewingMode = 0x00281090;
export const ModalityLUTSequence = 0x00283000;
export const LUTDescriptor = 0x00283002;
export const LUTExplanation = 0x00283003;
export const ModalityLUTType = 0x00283004;
export const LUTData = 0x00283006;
export const VOILUTSequence = 0x00283010;
export const SoftcopyVOILUTSequence = 0x00283110;
export const PresentationLUTSequence = 0x20500010;
export const PresentationLUTShape = 0x20500020;

// Geometry and time
export const RecommendedDisplayFrameRate = 0x00082144;
export const ScanOptions = 0x00180022;
export const CineRate = 0x00180040;
export const SliceThickness = 0x00180050;
export const KVP = 0x00180060;
export const RepetitionTime = 0x00180080;
export const EchoTime = 0x00180081;
export const EchoNumbers = 0x00180086;
export const SpacingBetweenSlices = 0x00180088;
export const TriggerTime = 0x00181060;
export const FrameTime = 0x00181063;
export const FrameTimeVector = 0x00181065;
export const DistanceSourceToDetector = 0x00181110;
export const DistanceSourceToPatient = 0x00181111;
export const EstimatedRadiographicMagnificationFactor = 0x00181114;
export const GantryDetectorTilt = 0x00181120;
export const ConvolutionKernel = 0x00181210;
export const ActualFrameDuration = 0x00181242;
export const FlipAngle = 0x00181314;
export const SequenceOfUltrasoundRegions = 0x00186011;
export const RegionSpatialFormat = 0x00186012;
export const RegionLocationMinX0 = 0x00186018;
export const RegionLocationMinY0 = 0x0018601a;
export const RegionLocationMaxX1 = 0x0018601c;
export const RegionLocationMaxY1 = 0x0018601e;
export const ReferencePixelX0 = 0x00186020;
export const ReferencePixelY0 = 0x00186022;
export const PhysicalUnitsXDirection = 0x00186024;
export const PhysicalUnitsYDirection = 0x00186026;
export const PhysicalDeltaX = 0x0018602c;
export const PhysicalDeltaY = 0x0018602e;
export const DiffusionBValue = 0x00189087;
export const ImagePositionPatient = 0x00200032;
export const ImageOrientationPatient = 0x00200037;
export const FrameOfReferenceUID = 0x00200052;
export const TemporalPositionIdentifier = 0x00200100;
export const NumberOfTemporalPositions = 0x00200105;
export const ImagesInAcquisition = 0x00201002;
export const PositionReferenceIndicator = 0x00201040;
export const SliceLocation = 0x00201041;
export const StackID = 0x00209056;
export const InStackPositionNumber = 0x00209057;
export const TemporalPositionIndex = 0x00209128;
export const DimensionIndexValues = 0x00209157;
export const DimensionOrganizationUID = 0x00209164;
export const DimensionIndexPointer = 0x00209165;
export const FunctionalGroupPointer = 0x00209167;
export const DimensionOrganizationSequence = 0x00209221;
export const DimensionIndexSequence = 0x00209222;
export const DimensionOrganizationType = 0x00209311;
export const VolumeFrameOfReferenceUID = 0x00209312;
export const DetectorInformationSequence = 0x00540022;
export const TimeSlotVector = 0x00540070;
export const SliceVector = 0x00540080;
export const Units = 0x00541001;
export const GridFrameOffsetVector = 0x3004000c;

// Functional groups
export const FrameType = 0x00089007;
export const FrameAcquisitionDateTime = 0x00189074;
export const DiffusionGradientDirectionSequence = 0x00189076;
export const EffectiveEchoTime = 0x00189082;
export const DiffusionGradientOrientation = 0x00189089;
export const MREchoSequence = 0x00189114;
export const MRDiffusionSequence = 0x00189117;
export const CardiacSynchronizationSequence = 0x00189118;
export const FrameReferenceDateTime = 0x00189151;
export const MRImageFrameTypeSequence = 0x00189226;
export const CTImageFrameTypeSequence = 0x00189329;
export const FrameAnatomySequence = 0x00209071;
export const FrameContentSequence = 0x00209111;
export const PlanePositionSequence = 0x00209113;
export const PlaneOrientationSequence = 0x00209116;
export const NominalCardiacTriggerDelayTime = 0x00209153;
export const FrameAcquisitionNumber = 0x00209156;
export const UnassignedSharedConvertedAttributesSequence = 0x00209170;
export const UnassignedPerFrameConvertedAttributesSequence = 0x00209171;
export const NominalPercentageOfCardiacPhase = 0x00209241;
export const ImagePositionVolume = 0x00209301;
export const ImageOrientationVolume = 0x00209302;
export const PlanePositionVolumeSequence = 0x0020930e;
export const PlaneOrientationVolumeSequence = 0x0020930f;
export const PixelMeasuresSequence = 0x00289110;
export const FrameVOILUTSequence = 0x00289132;
export const PixelValueTransformationSequence = 0x00289145;
export const RealWorldValueMappingSequence = 0x00409096;
export const SharedFunctionalGroupsSequence = 0x52009229;
export const PerFrameFunctionalGroupsSequence = 0x52009230;

// Concatenation
export const SOPInstanceUIDOfConcatenationSource = 0x00200242;
export const ConcatenationUID = 0x00209161;
export const InConcatenationNumber = 0x00209162;
export const InConcatenationTotalNumber = 0x00209163;
export const ConcatenationFrameOffsetNumber = 0x00209228;

// Whole slide
export const PyramidUID = 0x00080019;
export const PyramidDescription = 0x00081088;
export const AcquisitionDuration = 0x00189073;
export const PyramidLabel = 0x00200027;
export const IlluminationTypeCodeSequence = 0x00220016;
export const IlluminationWaveLength = 0x00220055;
export const ContainerIdentifier = 0x00400512;
export const SpecimenIdentifier = 0x00400551;
export const SpecimenDescriptionSequence = 0x00400560;
export const XOffsetInSlideCoordinateSystem = 0x0040072a;
export const YOffsetInSlideCoordinateSystem = 0x0040073a;
export const ZOffsetInSlideCoordinateSystem = 0x0040074a;
export const ImagedVolumeWidth = 0x00480001;
export const ImagedVolumeHeight = 0x00480002;
export const ImagedVolumeDepth = 0x00480003;
export const TotalPixelMatrixColumns = 0x00480006;
export const TotalPixelMatrixRows = 0x00480007;
export const TotalPixelMatrixOriginSequence = 0x00480008;
export const SpecimenLabelInImage = 0x00480010;
export const FocusMethod = 0x00480011;
export const ExtendedDepthOfField = 0x00480012;
export const NumberOfFocalPlanes = 0x00480013;
export const DistanceBetweenFocalPlanes = 0x00480014;
export const RecommendedAbsentPixelCIELabValue = 0x00480015;
export const ImageOrientationSlide = 0x00480102;
export const OpticalPathSequence = 0x00480105;
export const OpticalPathIdentifier = 0x00480106;
export const OpticalPathDescription = 0x00480107;
export const ObjectiveLensPower = 0x00480112;
export const OpticalPathIdentificationSequence = 0x00480207;
export const PlanePositionSlideSequence = 0x0048021a;
export const ColumnPositionInTotalImagePixelMatrix = 0x0048021e;
export const RowPositionInTotalImagePixelMatrix = 0x0048021f;
export const NumberOfOpticalPaths = 0x00480302;
export const TotalPixelMatrixFocalPlanes = 0x00480303;
export const LabelText = 0x22000002;
export const BarcodeValue = 0x22000005;

// Segmentation
export const SegmentationType = 0x00620001;
export const SegmentSequence = 0x00620002;
export const SegmentedPropertyCategoryCodeSequence = 0x00620003;
export const SegmentNumber = 0x00620004;
export const SegmentLabel = 0x00620005;
export const SegmentDescription = 0x00620006;
export const SegmentAlgorithmType = 0x00620008;
export const SegmentAlgorithmName = 0x00620009;
export const SegmentIdentificationSequence = 0x0062000a;
export const RecommendedDisplayGrayscaleValue = 0x0062000c;
export const RecommendedDisplayCIELabValue = 0x0062000d;
export const MaximumFractionalValue = 0x0062000e;
export const SegmentedPropertyTypeCodeSequence = 0x0062000f;
export const SegmentationFractionalType = 0x00620010;
export const SegmentsOverlap = 0x00620013;
export const TrackingID = 0x00620020;
export const TrackingUID = 0x00620021;

// Real world values and parametric maps
export const MeasurementUnitsCodeSequence = 0x004008ea;
export const LUTLabel = 0x00409210;
export const RealWorldValueLastValueMapped = 0x00409211;
export const RealWorldValueLUTData = 0x00409212;
export const DoubleFloatRealWorldValueLastValueMapped = 0x00409213;
export const DoubleFloatRealWorldValueFirstValueMapped = 0x00409214;
export const RealWorldValueFirstValueMapped = 0x00409216;
export const QuantityDefinitionSequence = 0x00409220;
export const RealWorldValueIntercept = 0x00409224;
export const RealWorldValueSlope = 0x00409225;
export const RelationshipType = 0x0040a010;
export const ValueType = 0x0040a040;
export const TextValue = 0x0040a160;
export const MeasuredValueSequence = 0x0040a300;
export const NumericValue = 0x0040a30a;
export const ContentSequence = 0x0040a730;
export const GraphicData = 0x00700022;
export const GraphicType = 0x00700023;

// Presentation states
export const ShutterShape = 0x00181600;
export const ShutterLeftVerticalEdge = 0x00181602;
export const ShutterRightVerticalEdge = 0x00181604;
export const ShutterUpperHorizontalEdge = 0x00181606;
export const ShutterLowerHorizontalEdge = 0x00181608;
export const CenterOfCircularShutter = 0x00181610;
export const RadiusOfCircularShutter = 0x00181612;
export const VerticesOfThePolygonalShutter = 0x00181620;
export const ShutterPresentationValue = 0x00181622;
export const GraphicAnnotationSequence = 0x00700001;
export const DisplayedAreaSelectionSequence = 0x0070005a;
export const ContentLabel = 0x00700080;
export const ContentDescription = 0x00700081;
export const ContentCreatorName = 0x00700084;
export const BlendingSequence = 0x00700402;
export const AdvancedBlendingSequence = 0x00701b01;
export const BlendingPosition = 0x00700405;

// Registration
export const DeformableRegistrationSequence = 0x00640002;
export const SourceFrameOfReferenceUID = 0x00640003;
export const DeformableRegistrationGridSequence = 0x00640005;
export const GridDimensions = 0x00640007;
export const GridResolution = 0x00640008;
export const VectorGridData = 0x00640009;
export const PreDeformationMatrixRegistrationSequence = 0x0064000f;
export const PostDeformationMatrixRegistrationSequence = 0x00640010;
export const RegistrationSequence = 0x00700308;
export const MatrixRegistrationSequence = 0x00700309;
export const MatrixSequence = 0x0070030a;
export const FrameOfReferenceTransformationMatrixType = 0x0070030c;
export const FrameOfReferenceTransformationMatrix = 0x300600c6;

// Radiation therapy
export const DefinitionSourceSequence = 0x00081156;
export const RTImagePlane = 0x3002000c;
export const ImagePlanePixelSpacing = 0x30020011;
export const RadiationMachineSAD = 0x30020022;
export const RTImageSID = 0x30020026;
export const DoseUnits = 0x30040002;
export const DoseType = 0x30040004;
export const DoseComment = 0x30040006;
export const NormalizationPoint = 0x30040008;
export const DoseSummationType = 0x3004000a;
export const DoseGridScaling = 0x3004000e;
export const DVHSequence = 0x30040050;
export const StructureSetLabel = 0x30060002;
export const ReferencedFrameOfReferenceSequence = 0x30060010;
export const RTReferencedStudySequence = 0x30060012;
export const RTReferencedSeriesSequence = 0x30060014;
export const ContourImageSequence = 0x30060016;
export const StructureSetROISequence = 0x30060020;
export const ROINumber = 0x30060022;
export const ReferencedFrameOfReferenceUID = 0x30060024;
export const ROIName = 0x30060026;
export const ROIDescription = 0x30060028;
export const ROIDisplayColor = 0x3006002a;
export const ROIGenerationAlgorithm = 0x30060036;
export const ROIContourSequence = 0x30060039;
export const ContourSequence = 0x30060040;
export const ContourGeometricType = 0x30060042;
export const NumberOfContourPoints = 0x30060046;
export const ContourData = 0x30060050;
export const RTROIObservationsSequence = 0x30060080;
export const ReferencedROINumber = 0x30060084;
export const RTROIInterpretedType = 0x300600a4;
export const RTPlanLabel = 0x300a0002;
export const DoseReferenceSequence = 0x300a0010;
export const DoseReferenceDescription = 0x300a0016;
export const DoseReferenceType = 0x300a0020;
export const TargetPrescriptionDose = 0x300a0026;
export const FractionGroupSequence = 0x300a0070;
export const NumberOfFractionsPlanned = 0x300a0078;
export const ReferencedRTRadiationSequence = 0x300a0630;
export const ReferencedRTPlanSequence = 0x300c0002;
export const ReferencedStructureSetSequence = 0x300c0060;
export const ReferencedDoseSequence = 0x300c0080;

// Overlays (first of the repeating group)
export const OverlayRows = 0x60000010;
export const OverlayColumns = 0x60000011;
export const NumberOfFramesInOverlay = 0x60000015;
export const OverlayDescription = 0x60000022;
export const OverlayType = 0x60000040;
export const OverlaySubtype = 0x60000045;
export const OverlayOrigin = 0x60000050;
export const ImageFrameOrigin = 0x60000051;
export const OverlayBitsAllocated = 0x60000100;
export const OverlayBitPosition = 0x60000102;
export const OverlayActivationLayer = 0x60001001;
export const OverlayLabel = 0x60001500;
export const OverlayData = 0x60003000;

// Documents and waveforms
export const ContinuityOfContent = 0x0040a050;
export const CompletionFlag = 0x0040a491;
export const VerificationFlag = 0x0040a493;
export const ContentTemplateSequence = 0x0040a504;
export const TemplateIdentifier = 0x0040db00;
export const DocumentTitle = 0x00420010;
export const EncapsulatedDocument = 0x00420011;
export const MIMETypeOfEncapsulatedDocument = 0x00420012;
export const EncapsulatedDocumentLength = 0x00420015;
export const WaveformSequence = 0x54000100;
export const WaveformData = 0x54001010;

// Pixel data
export const ExtendedOffsetTable = 0x7fe00001;
export const ExtendedOffsetTableLengths = 0x7fe00002;
export const EncapsulatedPixelDataValueTotalLength = 0x7fe00003;
export const FloatPixelData = 0x7fe00008;
export const DoubleFloatPixelData = 0x7fe00009;
export const PixelData = 0x7fe00010;
export const DigitalSignaturesSequence = 0xfffafffa;
export const DataSetTrailingPadding = 0xfffcfffc;

// Delimiters
export const Item = 0xfffee000;
export const ItemDelimitationItem = 0xfffee00d;
export const SequenceDelimitationItem = 0xfffee0dd;

/** `(0028,0010)`, as the standard prints a tag. */
export function tagToString(tag: number): string {
  const digits = tagToHex(tag);
  return `(${digits.slice(0, 4)},${digits.slice(4)})`;
}

/** `00280010`, upper case. */
export function tagToHex(tag: number): string {
  return tag.toString(16).padStart(8, '0').toUpperCase();
}
