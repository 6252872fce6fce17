export type WindowPreset = {
  readonly key: string;
  readonly name: string;
  readonly center: number;
  readonly width: number;
};

/** Windows for CT, in Hounsfield units, on the keys 1 to 8. */
export const CT_PRESETS: readonly WindowPreset[] = [
  { key: '1', name: 'Soft tissue', width: 400, center: 40 },
  { key: '2', name: 'Lung', width: 1500, center: -600 },
  { key: '3', name: 'Bone', width: 2000, center: 350 },
  { key: '4', name: 'Brain', width: 80, center: 40 },
  { key: '5', name: 'Mediastinum', width: 400, center: 80 },
  { key: '6', name: 'Liver', width: 150, center: 90 },
  { key: '7', name: 'Stroke', width: 40, center: 40 },
  { key: '8', name: 'Angio', width: 600, center: 300 },
];
