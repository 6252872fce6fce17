// Entry point of the pool's worker threads: maps each task to its code. The code is imported on first use, so that a
// thread that only reads tags never loads a codec.
import {
  listColumnsTask,
  packSlicesTask,
  readSidecarTask,
  writeRowsTask,
  writeSlicesTask,
  writeTagTableTask,
} from './images/exports/exportTasks.ts';
import { readUltrasoundRegionsTask } from './standard/geometry/ultrasoundRegionsTask.ts';
import { checkBodyTask, importCsvTask, readRoiJournalTask } from './work/annotations/annotationTasks.ts';
import { readHeadersTask } from './images/attachments/attachmentTasks.ts';
import { readIndexRowsTask } from './images/catalog/indexTasks.ts';
import { readInfoTask } from './images/catalog/infoTask.ts';
import { findContentTask } from './say/documents/content/contentTasks.ts';
import { readNarrativeMediumTask, readNarrativeTask } from './say/documents/cda/narrativeTasks.ts';
import { readMeshTask } from './say/documents/mesh/meshTask.ts';
import { readDocumentTask } from './say/documents/documentTasks.ts';
import { readContentTask, readMeasurementsTask, writeMeasurementsTask } from './say/documents/report/reportTasks.ts';
import { readPlanTask } from './say/documents/plan/planTasks.ts';
import { findVideoTask, packVideoTask } from './say/documents/video/videoTasks.ts';
import { findBulkTask, readRecordsTask, writeMetadataTask } from './doors/dicomweb/dicomwebTasks.ts';
import { limitInflation } from './standard/dicom/inflatedSource.ts';
import { checkDicomTask, readTagsTask, selectTagTask } from './standard/dicom/tagTasks.ts';
import {
  decodedPictureTask,
  displayFrameTask,
  encodedFrameTask,
  packedFrameTask,
  percentilesTask,
  rawFrameTask,
  thumbnailTask,
} from './images/pixels/frameTasks.ts';
import { readKeyObjectsTask, readStateTask } from './over/presentation/presentationTasks.ts';
import { readReferencesTask } from './images/references/declaredReferences.ts';
import { readFrameGeometryTask } from './images/series/frameGeometry.ts';
import { readFormatTask, writeFormatTask } from './work/marks/formats/formatTasks.ts';
import { parseMarkTask, readMarkJournalTask } from './work/marks/markTasks.ts';
import { writeMarkReportTask } from './work/marks/report/markReportTask.ts';
import { measureMarkTask } from './work/marks/statistics/statisticsTasks.ts';
import {
  cutSegmentsTask,
  paintLabelsTask,
  readLabelsTask,
  writeLabelsTask,
  writeSegmentationTask,
} from './work/marks/volumes/markVolumeTasks.ts';
import { readFiducialsTask } from './over/layers/fiducials/fiducialTasks.ts';
import { readSpectroscopyTask } from './over/layers/spectroscopy/spectroscopyTasks.ts';
import { coverRegionsTask, packRegionsTask } from './over/layers/graphics/regionTasks.ts';
import { readReportTask } from './over/layers/report/reportTasks.ts';
import {
  indexSlideAnnotationsTask,
  packSlideAnnotationsTask,
} from './over/layers/slideAnnotations/slideAnnotationTasks.ts';
import { packSliceTask, readMasksTask, readValuesTask } from './over/layers/attachment/attachmentTasks.ts';
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
} from './over/layers/segmentation/segmentationTasks.ts';
import {
  findHighestDoseTask,
  measureContoursTask,
  measureMasksTask,
  readStoredDvhsTask,
} from './over/layers/dvh/dvhTasks.ts';
import { bentPlaneTask, readPrescriptionTask, sampleTilesTask, tileRangeTask } from './over/layers/field/fieldTasks.ts';
import { reachPlanesTask, readRegistrationTask } from './over/layers/registrationTasks.ts';
import {
  coverPlanesTask,
  moveContoursTask,
  packContoursTask,
  readStructureSetTask,
} from './over/layers/structureSet/structureSetTasks.ts';
import {
  readDoseTask,
  readFrameValuesTask,
  readParametricMapTask,
  readValueMappingsTask,
} from './images/semantics/semanticTasks.ts';
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
} from './images/volumes/volumeTasks.ts';
import { readSpectraTask, readSpectrumTask } from './say/documents/spectroscopy/spectraTasks.ts';
import { readSamplesTask, readWaveformTask } from './say/documents/waveform/waveformTasks.ts';
import { useRemoteLink } from './bytes/origins/origins.ts';
import { loadOnce, readRemoteLink, readThreadLimits, serveTasks, taskHandler } from './machine/workers/serveTasks.ts';
import { readSlideLayoutTask } from './images/wsi/slideLayout.ts';

const { keptBytes, inflatedBytes } = readThreadLimits();
limitInflation({ maxBytes: inflatedBytes, hasSpool: true });
useRemoteLink(readRemoteLink());

// Shared within the thread, so that the memory for remembered files is counted once.
const images = loadOnce(async () =>
  (await import('./images/pixels/imageFiles.ts')).createImageFiles((keptBytes * 3) / 4),
);
const segmentations = loadOnce(async () =>
  (await import('./over/layers/segmentation/segmentationPixels.ts')).createSegmentationPixels(await images()),
);
const renderer = loadOnce(async () =>
  (await import('./images/pixels/renderFrame.ts')).createFrameRenderer(await images(), keptBytes / 4),
);

const TASKS = [
  taskHandler(checkDicomTask, async () => (await import('./standard/dicom/readTags.ts')).checkDicom),
  taskHandler(readTagsTask, async () => (await import('./standard/dicom/readTags.ts')).readTags),
  taskHandler(selectTagTask, async () => (await import('./standard/dicom/readTags.ts')).readSelectedTag),
  taskHandler(readRecordsTask, async () => (await import('./doors/dicomweb/readRecords.ts')).readRecords),
  taskHandler(writeMetadataTask, async () => (await import('./doors/dicomweb/readRecords.ts')).writeMetadata),
  taskHandler(findBulkTask, async () => (await import('./doors/dicomweb/findBulk.ts')).findBulk),
  taskHandler(readIndexRowsTask, async () => (await import('./images/catalog/readIndex.ts')).readIndexRows),
  taskHandler(readInfoTask, async () => (await import('./images/catalog/readInfo.ts')).readInfo),
  taskHandler(
    readFrameGeometryTask,
    async () => (await import('./images/series/readFrameGeometry.ts')).readFrameGeometry,
  ),
  taskHandler(readVolumeTask, async () => {
    const { readVolume } = await import('./images/volumes/readVolume.ts');
    const opened = await images();
    return (input, context) => readVolume(opened, input, context);
  }),
  taskHandler(placeVolumeTask, async () => (await import('./images/volumes/readVolume.ts')).placeVolume),
  taskHandler(loadSlicesTask, async () => {
    const { loadSlices } = await import('./images/volumes/loadSlices.ts');
    const opened = await images();
    return (input, context) => loadSlices(opened, input, context);
  }),
  taskHandler(loadRowsTask, async () => {
    const { loadRows } = await import('./images/volumes/loadSlices.ts');
    const opened = await images();
    return (input, context) => loadRows(opened, input, context);
  }),
  taskHandler(packLayerTask, async () => {
    const { packLayer } = await import('./images/volumes/packBricks.ts');
    const opened = await images();
    return (input, context) => packLayer(opened, input, context);
  }),
  taskHandler(unpackBricksTask, async () => (await import('./images/volumes/packBricks.ts')).unpackBricks),
  taskHandler(checkSourcesTask, async () => (await import('./images/volumes/loadSlices.ts')).checkSources),
  taskHandler(rawPlaneTask, async () => {
    const { renderRawPlane } = await import('./images/volumes/renderPlane.ts');
    return (input, context) => renderRawPlane(input, context);
  }),
  taskHandler(bentPlaneTask, async () => (await import('./over/layers/field/bendPlane.ts')).renderBentPlane),
  taskHandler(sampleTilesTask, async () => {
    const { sampleTiles } = await import('./over/layers/field/sampleTiles.ts');
    const opened = await images();
    return (input, context) => opened.hold(() => sampleTiles(opened, input, context));
  }),
  taskHandler(tileRangeTask, async () => {
    const { findTileRange } = await import('./over/layers/field/sampleTiles.ts');
    const opened = await images();
    return (input, context) => opened.hold(() => findTileRange(opened, input, context));
  }),
  taskHandler(reachPlanesTask, async () => (await import('./over/layers/reachPlanes.ts')).reachPlanes),
  taskHandler(planePartTask, async () => (await import('./images/volumes/renderPlane.ts')).renderPlanePart),
  taskHandler(planePictureTask, async () => (await import('./images/volumes/renderPlane.ts')).renderPlanePicture),
  taskHandler(readSlideLayoutTask, async () => (await import('./images/wsi/readSlideLayout.ts')).readSlideLayout),
  taskHandler(readReferencesTask, async () => (await import('./images/references/readReferences.ts')).readReferences),
  taskHandler(
    readSegmentationTask,
    async () => (await import('./over/layers/segmentation/readSegmentation.ts')).readSegmentation,
  ),
  taskHandler(
    mapSegmentationTask,
    async () => (await import('./over/layers/segmentation/mapSegmentation.ts')).mapSegmentation,
  ),
  taskHandler(probeFractionsTask, async () => (await segmentations()).probeFractions),
  taskHandler(paintOverlayTask, async () => (await import('./over/layers/segmentation/paintOverlay.ts')).paintOverlay),
  taskHandler(packMasksTask, async () => (await segmentations()).packMasks),
  taskHandler(cropMasksTask, async () => (await segmentations()).cropMasks),
  taskHandler(placeMasksTask, async () => (await import('./over/layers/segmentation/maskTables.ts')).buildMaskTables),
  taskHandler(cutMasksTask, async () => (await import('./over/layers/segmentation/cutMasks.ts')).cutMasks),
  taskHandler(countSamplesTask, async () => (await segmentations()).countSamples),
  taskHandler(
    readPrescriptionTask,
    async () => (await import('./over/layers/field/readPrescription.ts')).readPrescription,
  ),
  taskHandler(
    readStructureSetTask,
    async () => (await import('./over/layers/structureSet/readStructureSet.ts')).readStructureSet,
  ),
  taskHandler(readRegistrationTask, async () => (await import('./over/layers/readRegistration.ts')).readRegistration),
  taskHandler(moveContoursTask, async () => (await import('./over/layers/structureSet/moveContours.ts')).moveContours),
  taskHandler(coverPlanesTask, async () => (await import('./over/layers/structureSet/packContours.ts')).coverPlanes),
  taskHandler(packContoursTask, async () => (await import('./over/layers/structureSet/packContours.ts')).packContours),
  taskHandler(measureContoursTask, async () => (await import('./over/layers/dvh/contourDose.ts')).measureContourDose),
  taskHandler(measureMasksTask, async () => (await import('./over/layers/dvh/maskDose.ts')).measureMaskDose),
  taskHandler(findHighestDoseTask, async () => (await import('./over/layers/dvh/sampleDose.ts')).findHighestDose),
  taskHandler(readStoredDvhsTask, async () => (await import('./over/layers/dvh/readStoredDvhs.ts')).readStoredDvhs),
  taskHandler(readReportTask, async () => (await import('./over/layers/report/readReport.ts')).readReport),
  taskHandler(readFiducialsTask, async () => (await import('./over/layers/fiducials/readFiducials.ts')).readFiducials),
  taskHandler(
    readSpectroscopyTask,
    async () => (await import('./over/layers/spectroscopy/readSpectroscopy.ts')).readSpectroscopy,
  ),
  taskHandler(coverRegionsTask, async () => (await import('./over/layers/graphics/packRegions.ts')).coverRegions),
  taskHandler(packRegionsTask, async () => (await import('./over/layers/graphics/packRegions.ts')).packRegions),
  taskHandler(
    indexSlideAnnotationsTask,
    async () => (await import('./over/layers/slideAnnotations/indexSlideAnnotations.ts')).indexSlideAnnotations,
  ),
  taskHandler(
    packSlideAnnotationsTask,
    async () => (await import('./over/layers/slideAnnotations/packSlideAnnotations.ts')).packSlideAnnotations,
  ),
  taskHandler(readHeadersTask, async () => (await import('./images/attachments/readHeaders.ts')).readHeaders),
  taskHandler(readMasksTask, async () => (await import('./over/layers/attachment/readMasks.ts')).readMasks),
  taskHandler(readValuesTask, async () => (await import('./over/layers/attachment/readValues.ts')).readValues),
  taskHandler(packSliceTask, async () => (await import('./over/layers/attachment/readMasks.ts')).packSlice),
  taskHandler(
    readParametricMapTask,
    async () => (await import('./images/semantics/readParametricMap.ts')).readParametricMap,
  ),
  taskHandler(
    readValueMappingsTask,
    async () => (await import('./images/semantics/readParametricMap.ts')).readValueMappings,
  ),
  taskHandler(readFrameValuesTask, async () => (await import('./images/semantics/readFrameValues.ts')).readFrameValues),
  taskHandler(readStateTask, async () => (await import('./over/presentation/readState.ts')).readState),
  taskHandler(readKeyObjectsTask, async () => (await import('./over/presentation/readKeyObjects.ts')).readKeyObjects),
  taskHandler(readDocumentTask, async () => (await import('./say/documents/readDocument.ts')).readDocument),
  taskHandler(readContentTask, async () => (await import('./say/documents/report/readContent.ts')).readContent),
  taskHandler(
    readMeasurementsTask,
    async () => (await import('./say/documents/report/readMeasurements.ts')).readMeasurements,
  ),
  taskHandler(
    writeMeasurementsTask,
    async () => (await import('./say/documents/report/readMeasurements.ts')).writeMeasurements,
  ),
  taskHandler(readWaveformTask, async () => (await import('./say/documents/waveform/readWaveform.ts')).readWaveform),
  taskHandler(readSamplesTask, async () => (await import('./say/documents/waveform/readSamples.ts')).readSamples),
  taskHandler(readSpectraTask, async () => (await import('./say/documents/spectroscopy/readSpectra.ts')).readSpectra),
  taskHandler(readSpectrumTask, async () => (await import('./say/documents/spectroscopy/readSpectra.ts')).readSpectrum),
  taskHandler(readPlanTask, async () => (await import('./say/documents/plan/readPlan.ts')).readPlan),
  taskHandler(readNarrativeTask, async () => (await import('./say/documents/cda/readNarrative.ts')).readNarrative),
  taskHandler(
    readNarrativeMediumTask,
    async () => (await import('./say/documents/cda/readNarrative.ts')).readNarrativeMedium,
  ),
  taskHandler(readMeshTask, async () => (await import('./say/documents/mesh/readMesh.ts')).readMesh),
  taskHandler(findVideoTask, async () => (await import('./say/documents/video/findVideo.ts')).findVideo),
  taskHandler(packVideoTask, async () => (await import('./say/documents/video/packVideo.ts')).packVideo),
  taskHandler(findContentTask, async () => (await import('./say/documents/content/findContent.ts')).findContent),
  taskHandler(
    readUltrasoundRegionsTask,
    async () => (await import('./standard/geometry/readUltrasoundRegions.ts')).readUltrasoundRegions,
  ),
  taskHandler(readDoseTask, async () => (await import('./images/semantics/readDose.ts')).readDose),
  taskHandler(writeSlicesTask, async () => {
    const { writeSlices } = await import('./images/exports/nifti/writeSlices.ts');
    const opened = await images();
    return async (input, context) => context.transfer(await writeSlices(opened, input, context));
  }),
  taskHandler(packSlicesTask, async () => {
    const { packSlices } = await import('./images/exports/nifti/writeSlices.ts');
    const opened = await images();
    return (input, context) => packSlices(opened, input, context);
  }),
  taskHandler(readSidecarTask, async () => (await import('./images/exports/nifti/readSidecar.ts')).readSidecar),
  taskHandler(writeTagTableTask, async () => (await import('./images/exports/tags/writeTagTable.ts')).writeTagTable),
  taskHandler(listColumnsTask, async () => (await import('./images/exports/tags/writeTagTable.ts')).listColumns),
  taskHandler(writeRowsTask, async () => (await import('./images/exports/tags/writeTagTable.ts')).writeRows),
  taskHandler(checkBodyTask, async () => (await import('./work/annotations/checkBody.ts')).checkBodyApart),
  taskHandler(importCsvTask, async () => (await import('./work/annotations/importCsv.ts')).importCsv),
  taskHandler(parseMarkTask, async () => (await import('./work/marks/parseMark.ts')).parseMarkApart),
  taskHandler(writeFormatTask, async () => (await import('./work/marks/formats/writeFormat.ts')).writeFormat),
  taskHandler(readFormatTask, async () => (await import('./work/marks/formats/readFormat.ts')).readFormat),
  taskHandler(measureMarkTask, async () => {
    const { measureMark } = await import('./work/marks/statistics/measureMark.ts');
    const opened = await images();
    return (input, context) => measureMark(opened, input, context);
  }),
  taskHandler(
    writeMarkReportTask,
    async () => (await import('./work/marks/report/writeMarkReport.ts')).writeMarkReport,
  ),
  taskHandler(paintLabelsTask, async () => (await import('./work/marks/volumes/drawMarks.ts')).paintLabels),
  taskHandler(cutSegmentsTask, async () => (await import('./work/marks/volumes/drawMarks.ts')).cutSegments),
  taskHandler(writeLabelsTask, async () => (await import('./work/marks/volumes/writeLabels.ts')).writeLabels),
  taskHandler(readLabelsTask, async () => (await import('./work/marks/volumes/readLabels.ts')).readLabels),
  taskHandler(
    writeSegmentationTask,
    async () => (await import('./work/marks/volumes/writeSegmentation.ts')).writeSegmentation,
  ),
  taskHandler(readMarkJournalTask, async () => (await import('./work/marks/markFormat.ts')).readMarkJournal),
  taskHandler(readRoiJournalTask, async () => (await import('./work/annotations/roiFormat.ts')).readRoiJournal),
  taskHandler(encodedFrameTask, async () => (await renderer()).encoded),
  taskHandler(displayFrameTask, async () => (await renderer()).display),
  taskHandler(decodedPictureTask, async () => (await renderer()).decodedPicture),
  taskHandler(rawFrameTask, async () => (await renderer()).raw),
  taskHandler(packedFrameTask, async () => (await renderer()).packed),
  taskHandler(percentilesTask, async () => (await renderer()).percentiles),
  taskHandler(thumbnailTask, async () => (await renderer()).thumbnail),
];

serveTasks(TASKS, {
  load: async () => (await import('./images/catalog/serveScan.ts')).serveScan,
  onEnd: () => limitInflation({ maxBytes: inflatedBytes, hasSpool: true }),
});
