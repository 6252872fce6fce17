/** Where the services of DICOMweb begin, which are not below /api. */
export const DICOMWEB_ROOT = '/dicomweb';

const SERIES = '/studies/:study/series/:series';
const INSTANCE = `${SERIES}/instances/:instance`;

/** The resources of DICOMweb that negato answers, all of them by GET and HEAD. PS3.18 chapter 10. */
export const DICOMWEB_RESOURCES = {
  searchStudies: '/studies',
  searchSeries: '/series',
  searchInstances: '/instances',
  searchSeriesOfStudy: '/studies/:study/series',
  searchInstancesOfStudy: '/studies/:study/instances',
  searchInstancesOfSeries: `${SERIES}/instances`,
  metadataOfStudy: '/studies/:study/metadata',
  metadataOfSeries: `${SERIES}/metadata`,
  metadataOfInstance: `${INSTANCE}/metadata`,
  retrieveStudy: '/studies/:study',
  retrieveSeries: SERIES,
  retrieveInstance: INSTANCE,
  retrieveFrames: `${INSTANCE}/frames/:frames`,
  renderedInstance: `${INSTANCE}/rendered`,
  renderedFrames: `${INSTANCE}/frames/:frames/rendered`,
  thumbnailOfStudy: '/studies/:study/thumbnail',
  thumbnailOfSeries: `${SERIES}/thumbnail`,
  thumbnailOfInstance: `${INSTANCE}/thumbnail`,
  thumbnailOfFrames: `${INSTANCE}/frames/:frames/thumbnail`,
  retrieveBulkData: `${INSTANCE}/bulkdata/:path`,
} as const;

export type DicomwebName = keyof typeof DICOMWEB_RESOURCES;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
export const DICOMWEB_NAMES = Object.keys(DICOMWEB_RESOURCES) as DicomwebName[];
