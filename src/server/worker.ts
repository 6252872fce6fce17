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
import { encodeAnswerTask, parseQuestionTask } from './work/assistants/assistantTasks.ts';
import { readFormatTask, writeFormatTask } from './work/marks/formats/formatTasks.ts';
import { parseMarkTask, readMarkJournalTask } from './work/marks/markTasks.ts';
import { writeMarkReportTask } from './work/marks/report/markReportTask.ts';
import { measureMarkTask } from './work/marks/statistics/statisticsTasks.ts';
import { measureAgreementTask, tallyOverlapTask } from './over/agreement/agreementTasks.ts';
import { readLabelArrayTask, resampleLabelsTask } from './work/marks/comparison/labelArrayTasks.ts';
import { cutLabelsTask, labelsToMarksTask, paintPartsTask, writeNpzTask } from './work/marks/volumes/labelTasks.ts';
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
import { drawSheetTask, findPeakTask } from './over/sheets/sheetTasks.ts';
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
  growRegionTask,
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
import { searchTask } from './images/tables/searchTasks.ts';
import { decodeFramesTask } from './images/audits/decodeTask.ts';
import { copyFrameTask, planCopyTask, readStoredTask } from './images/copies/copyTasks.ts';
import { digestFileTask } from './images/audits/digestTask.ts';
import { readFactsTask } from './images/audits/factTasks.ts';
import { writeReviewParquetTask } from './work/review/reviewTasks.ts';
import { readScoresTask } from './work/scores/scoreTasks.ts';
import { harvestTask } from './images/tables/tableTasks.ts';
import { readSpectraTask, readSpectrumTask } from './say/documents/spectroscopy/spectraTasks.ts';
import { readSamplesTask, readWaveformTask } from './say/documents/waveform/waveformTasks.ts';
import { useRemoteLink } from './bytes/origins/origins.ts';
import type { ImageFiles } from './images/pixels/imageFiles.ts';
import {
  loadOnce,
  handler,
  readRemoteLink,
  readThreadLimits,
  serveTasks,
  type TaskContext,
  taskHandler,
} from './machine/workers/serveTasks.ts';
import type { Task } from './machine/workers/task.ts';
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

/** The implementation gets the files that the thread has open. */
function withImages<Input, Output, Of, Name extends string>(
  task: Task<Input, Output, Of>,
  load: () => Promise<{ readonly [Key in NoInfer<Name>]: WithImages<NoInfer<Input>, NoInfer<Output>> }>,
  name: Name,
) {
  return taskHandler(task, async () => {
    const [module, opened] = [await load(), await images()];
    return (input, context) => module[name](opened, input, context);
  });
}

type WithImages<Input, Output> = (opened: ImageFiles, input: Input, context: TaskContext) => Output | Promise<Output>;

const TASKS = [
  handler(checkDicomTask, () => import('./standard/dicom/readTags.ts'), 'checkDicom'),
  handler(readTagsTask, () => import('./standard/dicom/readTags.ts'), 'readTags'),
  handler(selectTagTask, () => import('./standard/dicom/readTags.ts'), 'readSelectedTag'),
  handler(readRecordsTask, () => import('./doors/dicomweb/readRecords.ts'), 'readRecords'),
  handler(writeMetadataTask, () => import('./doors/dicomweb/readRecords.ts'), 'writeMetadata'),
  handler(findBulkTask, () => import('./doors/dicomweb/findBulk.ts'), 'findBulk'),
  handler(readIndexRowsTask, () => import('./images/catalog/readIndex.ts'), 'readIndexRows'),
  handler(readInfoTask, () => import('./images/catalog/readInfo.ts'), 'readInfo'),
  handler(readFrameGeometryTask, () => import('./images/series/readFrameGeometry.ts'), 'readFrameGeometry'),
  withImages(readVolumeTask, () => import('./images/volumes/readVolume.ts'), 'readVolume'),
  handler(placeVolumeTask, () => import('./images/volumes/readVolume.ts'), 'placeVolume'),
  withImages(loadSlicesTask, () => import('./images/volumes/loadSlices.ts'), 'loadSlices'),
  withImages(loadRowsTask, () => import('./images/volumes/loadSlices.ts'), 'loadRows'),
  withImages(packLayerTask, () => import('./images/volumes/packBricks.ts'), 'packLayer'),
  handler(unpackBricksTask, () => import('./images/volumes/packBricks.ts'), 'unpackBricks'),
  handler(parseQuestionTask, () => import('./work/assistants/parseQuestion.ts'), 'parseQuestion'),
  handler(encodeAnswerTask, () => import('./work/assistants/encodeAnswer.ts'), 'encodeAnswer'),
  handler(growRegionTask, () => import('./images/volumes/growRegion.ts'), 'growRegion'),
  handler(checkSourcesTask, () => import('./images/volumes/loadSlices.ts'), 'checkSources'),
  handler(rawPlaneTask, () => import('./images/volumes/renderPlane.ts'), 'renderRawPlane'),
  handler(bentPlaneTask, () => import('./over/layers/field/bendPlane.ts'), 'renderBentPlane'),
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
  handler(reachPlanesTask, () => import('./over/layers/reachPlanes.ts'), 'reachPlanes'),
  handler(planePartTask, () => import('./images/volumes/renderPlane.ts'), 'renderPlanePart'),
  handler(planePictureTask, () => import('./images/volumes/renderPlane.ts'), 'renderPlanePicture'),
  handler(readSlideLayoutTask, () => import('./images/wsi/readSlideLayout.ts'), 'readSlideLayout'),
  handler(readReferencesTask, () => import('./images/references/readReferences.ts'), 'readReferences'),
  handler(readSegmentationTask, () => import('./over/layers/segmentation/readSegmentation.ts'), 'readSegmentation'),
  handler(mapSegmentationTask, () => import('./over/layers/segmentation/mapSegmentation.ts'), 'mapSegmentation'),
  handler(probeFractionsTask, segmentations, 'probeFractions'),
  handler(paintOverlayTask, () => import('./over/layers/segmentation/paintOverlay.ts'), 'paintOverlay'),
  handler(packMasksTask, segmentations, 'packMasks'),
  handler(cropMasksTask, segmentations, 'cropMasks'),
  handler(placeMasksTask, () => import('./over/layers/segmentation/maskTables.ts'), 'buildMaskTables'),
  handler(cutMasksTask, () => import('./over/layers/segmentation/cutMasks.ts'), 'cutMasks'),
  handler(countSamplesTask, segmentations, 'countSamples'),
  handler(readPrescriptionTask, () => import('./over/layers/field/readPrescription.ts'), 'readPrescription'),
  handler(readStructureSetTask, () => import('./over/layers/structureSet/readStructureSet.ts'), 'readStructureSet'),
  handler(readRegistrationTask, () => import('./over/layers/readRegistration.ts'), 'readRegistration'),
  handler(moveContoursTask, () => import('./over/layers/structureSet/moveContours.ts'), 'moveContours'),
  handler(coverPlanesTask, () => import('./over/layers/structureSet/packContours.ts'), 'coverPlanes'),
  handler(packContoursTask, () => import('./over/layers/structureSet/packContours.ts'), 'packContours'),
  handler(measureContoursTask, () => import('./over/layers/dvh/contourDose.ts'), 'measureContourDose'),
  handler(measureMasksTask, () => import('./over/layers/dvh/maskDose.ts'), 'measureMaskDose'),
  handler(findHighestDoseTask, () => import('./over/layers/dvh/sampleDose.ts'), 'findHighestDose'),
  handler(readStoredDvhsTask, () => import('./over/layers/dvh/readStoredDvhs.ts'), 'readStoredDvhs'),
  handler(readReportTask, () => import('./over/layers/report/readReport.ts'), 'readReport'),
  handler(readFiducialsTask, () => import('./over/layers/fiducials/readFiducials.ts'), 'readFiducials'),
  handler(readSpectroscopyTask, () => import('./over/layers/spectroscopy/readSpectroscopy.ts'), 'readSpectroscopy'),
  handler(coverRegionsTask, () => import('./over/layers/graphics/packRegions.ts'), 'coverRegions'),
  handler(packRegionsTask, () => import('./over/layers/graphics/packRegions.ts'), 'packRegions'),
  handler(
    indexSlideAnnotationsTask,
    () => import('./over/layers/slideAnnotations/indexSlideAnnotations.ts'),
    'indexSlideAnnotations',
  ),
  handler(
    packSlideAnnotationsTask,
    () => import('./over/layers/slideAnnotations/packSlideAnnotations.ts'),
    'packSlideAnnotations',
  ),
  handler(drawSheetTask, () => import('./over/sheets/drawSheet.ts'), 'drawSheet'),
  handler(findPeakTask, () => import('./over/sheets/findPeak.ts'), 'findPeak'),
  handler(readHeadersTask, () => import('./images/attachments/readHeaders.ts'), 'readHeaders'),
  handler(readMasksTask, () => import('./over/layers/attachment/readMasks.ts'), 'readMasks'),
  handler(readValuesTask, () => import('./over/layers/attachment/readValues.ts'), 'readValues'),
  handler(packSliceTask, () => import('./over/layers/attachment/readMasks.ts'), 'packSlice'),
  handler(readParametricMapTask, () => import('./images/semantics/readParametricMap.ts'), 'readParametricMap'),
  handler(readValueMappingsTask, () => import('./images/semantics/readParametricMap.ts'), 'readValueMappings'),
  handler(readFrameValuesTask, () => import('./images/semantics/readFrameValues.ts'), 'readFrameValues'),
  handler(readStateTask, () => import('./over/presentation/readState.ts'), 'readState'),
  handler(readKeyObjectsTask, () => import('./over/presentation/readKeyObjects.ts'), 'readKeyObjects'),
  handler(readDocumentTask, () => import('./say/documents/readDocument.ts'), 'readDocument'),
  handler(readContentTask, () => import('./say/documents/report/readContent.ts'), 'readContent'),
  handler(readMeasurementsTask, () => import('./say/documents/report/readMeasurements.ts'), 'readMeasurements'),
  handler(writeMeasurementsTask, () => import('./say/documents/report/readMeasurements.ts'), 'writeMeasurements'),
  handler(readWaveformTask, () => import('./say/documents/waveform/readWaveform.ts'), 'readWaveform'),
  handler(readSamplesTask, () => import('./say/documents/waveform/readSamples.ts'), 'readSamples'),
  handler(readSpectraTask, () => import('./say/documents/spectroscopy/readSpectra.ts'), 'readSpectra'),
  handler(readSpectrumTask, () => import('./say/documents/spectroscopy/readSpectra.ts'), 'readSpectrum'),
  handler(readPlanTask, () => import('./say/documents/plan/readPlan.ts'), 'readPlan'),
  handler(readNarrativeTask, () => import('./say/documents/cda/readNarrative.ts'), 'readNarrative'),
  handler(readNarrativeMediumTask, () => import('./say/documents/cda/readNarrative.ts'), 'readNarrativeMedium'),
  handler(readMeshTask, () => import('./say/documents/mesh/readMesh.ts'), 'readMesh'),
  handler(findVideoTask, () => import('./say/documents/video/findVideo.ts'), 'findVideo'),
  handler(packVideoTask, () => import('./say/documents/video/packVideo.ts'), 'packVideo'),
  handler(findContentTask, () => import('./say/documents/content/findContent.ts'), 'findContent'),
  handler(
    readUltrasoundRegionsTask,
    () => import('./standard/geometry/readUltrasoundRegions.ts'),
    'readUltrasoundRegions',
  ),
  handler(readDoseTask, () => import('./images/semantics/readDose.ts'), 'readDose'),
  taskHandler(writeSlicesTask, async () => {
    const { writeSlices } = await import('./images/exports/nifti/writeSlices.ts');
    const opened = await images();
    return async (input, context) => context.transfer(await writeSlices(opened, input, context));
  }),
  withImages(packSlicesTask, () => import('./images/exports/nifti/writeSlices.ts'), 'packSlices'),
  handler(readSidecarTask, () => import('./images/exports/nifti/readSidecar.ts'), 'readSidecar'),
  handler(writeTagTableTask, () => import('./images/exports/tags/writeTagTable.ts'), 'writeTagTable'),
  handler(listColumnsTask, () => import('./images/exports/tags/writeTagTable.ts'), 'listColumns'),
  handler(searchTask, () => import('./images/tables/searchFiles.ts'), 'searchFiles'),
  handler(readFactsTask, () => import('./images/audits/readFacts.ts'), 'readFacts'),
  handler(digestFileTask, () => import('./images/audits/digestFile.ts'), 'digestFile'),
  handler(planCopyTask, () => import('./images/copies/planCopy.ts'), 'planCopy'),
  handler(readStoredTask, () => import('./images/copies/readStored.ts'), 'readStored'),
  withImages(copyFrameTask, () => import('./images/copies/copyFrame.ts'), 'copyFrame'),
  withImages(decodeFramesTask, () => import('./images/audits/decodeFrames.ts'), 'decodeFrames'),
  handler(readScoresTask, () => import('./work/scores/readScores.ts'), 'readScores'),
  handler(writeReviewParquetTask, () => import('./work/review/writeReviewParquet.ts'), 'writeReviewParquet'),
  handler(harvestTask, () => import('./images/tables/harvestFiles.ts'), 'harvestFiles'),
  handler(writeRowsTask, () => import('./images/exports/tags/writeTagTable.ts'), 'writeRows'),
  handler(checkBodyTask, () => import('./work/annotations/checkBody.ts'), 'checkBodyApart'),
  handler(importCsvTask, () => import('./work/annotations/importCsv.ts'), 'importCsv'),
  handler(parseMarkTask, () => import('./work/marks/parseMark.ts'), 'parseMarkApart'),
  handler(writeFormatTask, () => import('./work/marks/formats/writeFormat.ts'), 'writeFormat'),
  handler(readFormatTask, () => import('./work/marks/formats/readFormat.ts'), 'readFormat'),
  withImages(measureMarkTask, () => import('./work/marks/statistics/measureMark.ts'), 'measureMark'),
  handler(writeMarkReportTask, () => import('./work/marks/report/writeMarkReport.ts'), 'writeMarkReport'),
  handler(tallyOverlapTask, () => import('./over/agreement/tallyOverlap.ts'), 'tallyOverlapApart'),
  handler(readLabelArrayTask, () => import('./work/marks/comparison/readLabelArray.ts'), 'readLabelArray'),
  handler(resampleLabelsTask, () => import('./work/marks/comparison/readLabelArray.ts'), 'resampleLabels'),
  handler(measureAgreementTask, () => import('./over/agreement/measureAgreement.ts'), 'measureAgreement'),
  handler(paintLabelsTask, () => import('./work/marks/volumes/drawMarks.ts'), 'paintLabels'),
  handler(paintPartsTask, () => import('./work/marks/volumes/paintParts.ts'), 'paintParts'),
  handler(writeNpzTask, () => import('./work/marks/volumes/writeNpz.ts'), 'writeNpz'),
  handler(cutLabelsTask, () => import('./work/marks/volumes/cutLabels.ts'), 'cutLabels'),
  handler(labelsToMarksTask, () => import('./work/marks/volumes/labelsToMarks.ts'), 'labelsToMarks'),
  handler(cutSegmentsTask, () => import('./work/marks/volumes/drawMarks.ts'), 'cutSegments'),
  handler(writeLabelsTask, () => import('./work/marks/volumes/writeLabels.ts'), 'writeLabels'),
  handler(readLabelsTask, () => import('./work/marks/volumes/readLabels.ts'), 'readLabels'),
  handler(writeSegmentationTask, () => import('./work/marks/volumes/writeSegmentation.ts'), 'writeSegmentation'),
  handler(readMarkJournalTask, () => import('./work/marks/markFormat.ts'), 'readMarkJournal'),
  handler(readRoiJournalTask, () => import('./work/annotations/roiFormat.ts'), 'readRoiJournal'),
  handler(encodedFrameTask, renderer, 'encoded'),
  handler(displayFrameTask, renderer, 'display'),
  handler(decodedPictureTask, renderer, 'decodedPicture'),
  handler(rawFrameTask, renderer, 'raw'),
  handler(packedFrameTask, renderer, 'packed'),
  handler(percentilesTask, renderer, 'percentiles'),
  handler(thumbnailTask, renderer, 'thumbnail'),
];

serveTasks(TASKS, {
  load: async () => (await import('./images/catalog/serveScan.ts')).serveScan,
  onEnd: () => limitInflation({ maxBytes: inflatedBytes, hasSpool: true }),
});
