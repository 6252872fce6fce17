// Entry point of the pool's worker threads: maps each task to its code. The code is imported on first use, so that a
// thread that only reads tags never loads a codec.
import {
  listColumnsTask,
  packSlicesTask,
  readSidecarTask,
  writeRowsTask,
  writeSlicesTask,
  writeTagTableTask,
} from './exports/exportTasks.ts';
import { readUltrasoundRegionsTask } from './geometry/ultrasoundRegionsTask.ts';
import { checkBodyTask, importCsvTask, readJournalTask } from './annotations/annotationTasks.ts';
import { readHeadersTask } from './attachments/attachmentTasks.ts';
import { readIndexRowsTask } from './catalog/indexTasks.ts';
import { readInfoTask } from './catalog/infoTask.ts';
import { findContentTask } from './documents/content/contentTasks.ts';
import { readNarrativeMediumTask, readNarrativeTask } from './documents/cda/narrativeTasks.ts';
import { readMeshTask } from './documents/mesh/meshTask.ts';
import { readDocumentTask } from './documents/documentTasks.ts';
import { readContentTask, readMeasurementsTask, writeMeasurementsTask } from './documents/report/reportTasks.ts';
import { readPlanTask } from './documents/plan/planTasks.ts';
import { findVideoTask, packVideoTask } from './documents/video/videoTasks.ts';
import { findBulkTask, readRecordsTask, writeMetadataTask } from './dicomweb/dicomwebTasks.ts';
import { limitInflation } from './dicom/inflatedSource.ts';
import { checkDicomTask, readTagsTask, selectTagTask } from './dicom/tagTasks.ts';
import {
  decodedPictureTask,
  displayFrameTask,
  encodedFrameTask,
  packedFrameTask,
  percentilesTask,
  rawFrameTask,
  thumbnailTask,
} from './pixels/frameTasks.ts';
import { readKeyObjectsTask, readStateTask } from './presentation/presentationTasks.ts';
import { readReferencesTask } from './references/declaredReferences.ts';
import { readFrameGeometryTask } from './series/frameGeometry.ts';
import { readFormatTask, writeFormatTask } from './marks/formats/formatTasks.ts';
import { parseMarkTask, readMarkJournalTask } from './marks/markTasks.ts';
import { writeMarkReportTask } from './marks/report/markReportTask.ts';
import { measureMarkTask } from './marks/statistics/statisticsTasks.ts';
import {
  cutSegmentsTask,
  paintLabelsTask,
  readLabelsTask,
  writeLabelsTask,
  writeSegmentationTask,
} from './marks/volumes/markVolumeTasks.ts';
import { readFiducialsTask } from './layers/fiducials/fiducialTasks.ts';
import { readSpectroscopyTask } from './layers/spectroscopy/spectroscopyTasks.ts';
import { coverRegionsTask, packRegionsTask } from './layers/graphics/regionTasks.ts';
import { readReportTask } from './layers/report/reportTasks.ts';
import { indexSlideAnnotationsTask, packSlideAnnotationsTask } from './layers/slideAnnotations/slideAnnotationTasks.ts';
import { packSliceTask, readMasksTask, readValuesTask } from './layers/attachment/attachmentTasks.ts';
import {
  countSamplesTask,
  cropMasksTask,
  cutMasksTask,
  mapSegmentationTask,
  packMasksTask,
  placeMasksTask,
  paintOverlayTask,
  probeFractionsTask,
  readSegmentationTask,
} from './layers/segmentation/segmentationTasks.ts';
import {
  findHighestDoseTask,
  measureContoursTask,
  measureMasksTask,
  readStoredDvhsTask,
} from './layers/dvh/dvhTasks.ts';
import { bentPlaneTask, readPrescriptionTask, sampleTilesTask, tileRangeTask } from './layers/field/fieldTasks.ts';
import { reachPlanesTask, readRegistrationTask } from './layers/registrationTasks.ts';
import {
  coverPlanesTask,
  moveContoursTask,
  packContoursTask,
  readStructureSetTask,
} from './layers/structureSet/structureSetTasks.ts';
import {
  readDoseTask,
  readFrameValuesTask,
  readParametricMapTask,
  readValueMappingsTask,
} from './semantics/semanticTasks.ts';
import {
  checkSourcesTask,
  loadRowsTask,
  loadSlicesTask,
  packLayerTask,
  placeVolumeTask,
  planePartTask,
  planePictureTask,
  rawPlaneTask,
  readVolumeTask,
  unpackBricksTask,
} from './volumes/volumeTasks.ts';
import { readSpectraTask, readSpectrumTask } from './documents/spectroscopy/spectraTasks.ts';
import { readSamplesTask, readWaveformTask } from './documents/waveform/waveformTasks.ts';
import { useRemoteLink } from './origins/origins.ts';
import { loadOnce, readRemoteLink, readThreadLimits, serveTasks, taskHandler } from './workers/serveTasks.ts';
import { readSlideLayoutTask } from './wsi/slideLayout.ts';

const { keptBytes, inflatedBytes } = readThreadLimits();
limitInflation({ maxBytes: inflatedBytes, hasSpool: true });
useRemoteLink(readRemoteLink());

// Shared within the thread, so that the memory for remembered files is counted once.
const images = loadOnce(async () => (await import('./pixels/imageFiles.ts')).createImageFiles((keptBytes * 3) / 4));
const segmentations = loadOnce(async () =>
  (await import('./layers/segmentation/segmentationPixels.ts')).createSegmentationPixels(await images()),
);
const renderer = loadOnce(async () =>
  (await import('./pixels/renderFrame.ts')).createFrameRenderer(await images(), keptBytes / 4),
);

const TASKS = [
  taskHandler(checkDicomTask, async () => (await import('./dicom/readTags.ts')).checkDicom),
  taskHandler(readTagsTask, async () => (await import('./dicom/readTags.ts')).readTags),
  taskHandler(selectTagTask, async () => (await import('./dicom/readTags.ts')).readSelectedTag),
  taskHandler(readRecordsTask, async () => (await import('./dicomweb/readRecords.ts')).readRecords),
  taskHandler(writeMetadataTask, async () => (await import('./dicomweb/readRecords.ts')).writeMetadata),
  taskHandler(findBulkTask, async () => (await import('./dicomweb/findBulk.ts')).findBulk),
  taskHandler(readIndexRowsTask, async () => (await import('./catalog/readIndex.ts')).readIndexRows),
  taskHandler(readInfoTask, async () => (await import('./catalog/readInfo.ts')).readInfo),
  taskHandler(readFrameGeometryTask, async () => (await import('./series/readFrameGeometry.ts')).readFrameGeometry),
  taskHandler(readVolumeTask, async () => {
    const { readVolume } = await import('./volumes/readVolume.ts');
    const opened = await images();
    return (input, context) => readVolume(opened, input, context);
  }),
  taskHandler(placeVolumeTask, async () => (await import('./volumes/readVolume.ts')).placeVolume),
  taskHandler(loadSlicesTask, async () => {
    const { loadSlices } = await import('./volumes/loadSlices.ts');
    const opened = await images();
    return (input, context) => loadSlices(opened, input, context);
  }),
  taskHandler(loadRowsTask, async () => {
    const { loadRows } = await import('./volumes/loadSlices.ts');
    const opened = await images();
    return (input, context) => loadRows(opened, input, context);
  }),
  taskHandler(packLayerTask, async () => {
    const { packLayer } = await import('./volumes/packBricks.ts');
    const opened = await images();
    return (input, context) => packLayer(opened, input, context);
  }),
  taskHandler(unpackBricksTask, async () => (await import('./volumes/packBricks.ts')).unpackBricks),
  taskHandler(checkSourcesTask, async () => (await import('./volumes/loadSlices.ts')).checkSources),
  taskHandler(rawPlaneTask, async () => {
    const { renderRawPlane } = await import('./volumes/renderPlane.ts');
    return (input, context) => renderRawPlane(input, context);
  }),
  taskHandler(bentPlaneTask, async () => (await import('./layers/field/bendPlane.ts')).renderBentPlane),
  taskHandler(sampleTilesTask, async () => {
    const { sampleTiles } = await import('./layers/field/sampleTiles.ts');
    const opened = await images();
    return (input, context) => opened.hold(() => sampleTiles(opened, input, context));
  }),
  taskHandler(tileRangeTask, async () => {
    const { findTileRange } = await import('./layers/field/sampleTiles.ts');
    const opened = await images();
    return (input, context) => opened.hold(() => findTileRange(opened, input, context));
  }),
  taskHandler(reachPlanesTask, async () => (await import('./layers/reachPlanes.ts')).reachPlanes),
  taskHandler(planePartTask, async () => (await import('./volumes/renderPlane.ts')).renderPlanePart),
  taskHandler(planePictureTask, async () => (await import('./volumes/renderPlane.ts')).renderPlanePicture),
  taskHandler(readSlideLayoutTask, async () => (await import('./wsi/readSlideLayout.ts')).readSlideLayout),
  taskHandler(readReferencesTask, async () => (await import('./references/readReferences.ts')).readReferences),
  taskHandler(
    readSegmentationTask,
    async () => (await import('./layers/segmentation/readSegmentation.ts')).readSegmentation,
  ),
  taskHandler(
    mapSegmentationTask,
    async () => (await import('./layers/segmentation/mapSegmentation.ts')).mapSegmentation,
  ),
  taskHandler(probeFractionsTask, async () => (await segmentations()).probeFractions),
  taskHandler(paintOverlayTask, async () => (await import('./layers/segmentation/paintOverlay.ts')).paintOverlay),
  taskHandler(packMasksTask, async () => (await segmentations()).packMasks),
  taskHandler(cropMasksTask, async () => (await segmentations()).cropMasks),
  taskHandler(placeMasksTask, async () => (await import('./layers/segmentation/maskTables.ts')).buildMaskTables),
  taskHandler(cutMasksTask, async () => (await import('./layers/segmentation/cutMasks.ts')).cutMasks),
  taskHandler(countSamplesTask, async () => (await segmentations()).countSamples),
  taskHandler(readPrescriptionTask, async () => (await import('./layers/field/readPrescription.ts')).readPrescription),
  taskHandler(
    readStructureSetTask,
    async () => (await import('./layers/structureSet/readStructureSet.ts')).readStructureSet,
  ),
  taskHandler(readRegistrationTask, async () => (await import('./layers/readRegistration.ts')).readRegistration),
  taskHandler(moveContoursTask, async () => (await import('./layers/structureSet/moveContours.ts')).moveContours),
  taskHandler(coverPlanesTask, async () => (await import('./layers/structureSet/packContours.ts')).coverPlanes),
  taskHandler(packContoursTask, async () => (await import('./layers/structureSet/packContours.ts')).packContours),
  taskHandler(measureContoursTask, async () => (await import('./layers/dvh/contourDose.ts')).measureContourDose),
  taskHandler(measureMasksTask, async () => (await import('./layers/dvh/maskDose.ts')).measureMaskDose),
  taskHandler(findHighestDoseTask, async () => (await import('./layers/dvh/sampleDose.ts')).findHighestDose),
  taskHandler(readStoredDvhsTask, async () => (await import('./layers/dvh/readStoredDvhs.ts')).readStoredDvhs),
  taskHandler(readReportTask, async () => (await import('./layers/report/readReport.ts')).readReport),
  taskHandler(readFiducialsTask, async () => (await import('./layers/fiducials/readFiducials.ts')).readFiducials),
  taskHandler(
    readSpectroscopyTask,
    async () => (await import('./layers/spectroscopy/readSpectroscopy.ts')).readSpectroscopy,
  ),
  taskHandler(coverRegionsTask, async () => (await import('./layers/graphics/packRegions.ts')).coverRegions),
  taskHandler(packRegionsTask, async () => (await import('./layers/graphics/packRegions.ts')).packRegions),
  taskHandler(
    indexSlideAnnotationsTask,
    async () => (await import('./layers/slideAnnotations/indexSlideAnnotations.ts')).indexSlideAnnotations,
  ),
  taskHandler(
    packSlideAnnotationsTask,
    async () => (await import('./layers/slideAnnotations/packSlideAnnotations.ts')).packSlideAnnotations,
  ),
  taskHandler(readHeadersTask, async () => (await import('./attachments/readHeaders.ts')).readHeaders),
  taskHandler(readMasksTask, async () => (await import('./layers/attachment/readMasks.ts')).readMasks),
  taskHandler(readValuesTask, async () => (await import('./layers/attachment/readValues.ts')).readValues),
  taskHandler(packSliceTask, async () => (await import('./layers/attachment/readMasks.ts')).packSlice),
  taskHandler(readParametricMapTask, async () => (await import('./semantics/readParametricMap.ts')).readParametricMap),
  taskHandler(readValueMappingsTask, async () => (await import('./semantics/readParametricMap.ts')).readValueMappings),
  taskHandler(readFrameValuesTask, async () => (await import('./semantics/readFrameValues.ts')).readFrameValues),
  taskHandler(readStateTask, async () => (await import('./presentation/readState.ts')).readState),
  taskHandler(readKeyObjectsTask, async () => (await import('./presentation/readKeyObjects.ts')).readKeyObjects),
  taskHandler(readDocumentTask, async () => (await import('./documents/readDocument.ts')).readDocument),
  taskHandler(readContentTask, async () => (await import('./documents/report/readContent.ts')).readContent),
  taskHandler(
    readMeasurementsTask,
    async () => (await import('./documents/report/readMeasurements.ts')).readMeasurements,
  ),
  taskHandler(
    writeMeasurementsTask,
    async () => (await import('./documents/report/readMeasurements.ts')).writeMeasurements,
  ),
  taskHandler(readWaveformTask, async () => (await import('./documents/waveform/readWaveform.ts')).readWaveform),
  taskHandler(readSamplesTask, async () => (await import('./documents/waveform/readSamples.ts')).readSamples),
  taskHandler(readSpectraTask, async () => (await import('./documents/spectroscopy/readSpectra.ts')).readSpectra),
  taskHandler(readSpectrumTask, async () => (await import('./documents/spectroscopy/readSpectra.ts')).readSpectrum),
  taskHandler(readPlanTask, async () => (await import('./documents/plan/readPlan.ts')).readPlan),
  taskHandler(readNarrativeTask, async () => (await import('./documents/cda/readNarrative.ts')).readNarrative),
  taskHandler(
    readNarrativeMediumTask,
    async () => (await import('./documents/cda/readNarrative.ts')).readNarrativeMedium,
  ),
  taskHandler(readMeshTask, async () => (await import('./documents/mesh/readMesh.ts')).readMesh),
  taskHandler(findVideoTask, async () => (await import('./documents/video/findVideo.ts')).findVideo),
  taskHandler(packVideoTask, async () => (await import('./documents/video/packVideo.ts')).packVideo),
  taskHandler(findContentTask, async () => (await import('./documents/content/findContent.ts')).findContent),
  taskHandler(
    readUltrasoundRegionsTask,
    async () => (await import('./geometry/readUltrasoundRegions.ts')).readUltrasoundRegions,
  ),
  taskHandler(readDoseTask, async () => (await import('./semantics/readDose.ts')).readDose),
  taskHandler(writeSlicesTask, async () => {
    const { writeSlices } = await import('./exports/nifti/writeSlices.ts');
    const opened = await images();
    return async (input, context) => context.transfer(await writeSlices(opened, input, context));
  }),
  taskHandler(packSlicesTask, async () => {
    const { packSlices } = await import('./exports/nifti/writeSlices.ts');
    const opened = await images();
    return (input, context) => packSlices(opened, input, context);
  }),
  taskHandler(readSidecarTask, async () => (await import('./exports/nifti/readSidecar.ts')).readSidecar),
  taskHandler(writeTagTableTask, async () => (await import('./exports/tags/writeTagTable.ts')).writeTagTable),
  taskHandler(listColumnsTask, async () => (await import('./exports/tags/writeTagTable.ts')).listColumns),
  taskHandler(writeRowsTask, async () => (await import('./exports/tags/writeTagTable.ts')).writeRows),
  taskHandler(checkBodyTask, async () => (await import('./annotations/checkBody.ts')).checkBodyApart),
  taskHandler(importCsvTask, async () => (await import('./annotations/importCsv.ts')).importCsv),
  taskHandler(parseMarkTask, async () => (await import('./marks/parseMark.ts')).parseMarkApart),
  taskHandler(writeFormatTask, async () => (await import('./marks/formats/writeFormat.ts')).writeFormat),
  taskHandler(readFormatTask, async () => (await import('./marks/formats/readFormat.ts')).readFormat),
  taskHandler(measureMarkTask, async () => {
    const { measureMark } = await import('./marks/statistics/measureMark.ts');
    const opened = await images();
    return (input, context) => measureMark(opened, input, context);
  }),
  taskHandler(writeMarkReportTask, async () => (await import('./marks/report/writeMarkReport.ts')).writeMarkReport),
  taskHandler(paintLabelsTask, async () => (await import('./marks/volumes/drawMarks.ts')).paintLabels),
  taskHandler(cutSegmentsTask, async () => (await import('./marks/volumes/drawMarks.ts')).cutSegments),
  taskHandler(writeLabelsTask, async () => (await import('./marks/volumes/writeLabels.ts')).writeLabels),
  taskHandler(readLabelsTask, async () => (await import('./marks/volumes/readLabels.ts')).readLabels),
  taskHandler(
    writeSegmentationTask,
    async () => (await import('./marks/volumes/writeSegmentation.ts')).writeSegmentation,
  ),
  taskHandler(readMarkJournalTask, async () => (await import('./marks/markFormat.ts')).readMarkJournal),
  taskHandler(readJournalTask, async () => (await import('./annotations/journalFile.ts')).readRoiJournal),
  taskHandler(encodedFrameTask, async () => (await renderer()).encoded),
  taskHandler(displayFrameTask, async () => (await renderer()).display),
  taskHandler(decodedPictureTask, async () => (await renderer()).decodedPicture),
  taskHandler(rawFrameTask, async () => (await renderer()).raw),
  taskHandler(packedFrameTask, async () => (await renderer()).packed),
  taskHandler(percentilesTask, async () => (await renderer()).percentiles),
  taskHandler(thumbnailTask, async () => (await renderer()).thumbnail),
];

serveTasks(TASKS, {
  load: async () => (await import('./catalog/serveScan.ts')).serveScan,
  onEnd: () => limitInflation({ maxBytes: inflatedBytes, hasSpool: true }),
});
